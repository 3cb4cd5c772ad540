import type { Migration } from './migration.ts'
import { userTriggers } from './provisioning-triggers.ts'

/**
 * Accounts that leave the same groups at once come one after the other. Before, the groups were locked and changed by one
 * statement. A statement of PostgreSQL finds a row as it was when the statement began: who had the lock of the row as it is
 * now went on to the row as it had been, for which somebody stood in line who waited for that very lock. Locked by a statement
 * of its own, the rows are found by the next one as their last holder left them.
 */
export const removalInTurn: Migration = {
  number: 6,
  name: '0006-removal-in-turn',
  statements: (types) =>
    userTriggers(types)
      .filter(({ name }) => name === 'mintmark_user_unlinked')
      .flatMap((trigger) => types.lockFirst(trigger, groupsOfOld)),
}

/** In one order, so that two who leave the same groups do not wait for each other. Who joins a group keeps the account's row. */
const groupsOfOld = `mintmark_groups WHERE issuer = OLD.issuer
    AND group_id = ANY (ARRAY(SELECT group_id FROM mintmark_group_members WHERE issuer = OLD.issuer AND member_id = OLD.user_id))
    ORDER BY group_id`
