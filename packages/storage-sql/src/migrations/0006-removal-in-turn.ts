import type { Migration } from './migration.ts'
import { userTriggers } from './provisioning-triggers.ts'

/**
 * Users that leave the same groups at the same time are serialized. Before, one statement locked and changed the
 * groups. A PostgreSQL statement sees the rows of the moment at which it began: it locked the current version of a
 * group and then changed an older one, for which another transaction waited that in turn waited for this lock. A
 * separate statement takes the locks, and the next one sees what the last holder committed.
 */
export const removalInTurn: Migration = {
  number: 6,
  name: '0006-removal-in-turn',
  statements: (types) =>
    userTriggers(types)
      .filter(({ name }) => name === 'mintmark_user_unlinked')
      .flatMap((trigger) => types.lockFirst(trigger, groupsOfOld)),
}

/**
 * In one order, so that two removals from the same groups do not deadlock. Adding a member takes a lock on the user's
 * row.
 */
const groupsOfOld = `mintmark_groups WHERE issuer = OLD.issuer
    AND group_id = ANY (ARRAY(SELECT group_id FROM mintmark_group_members WHERE issuer = OLD.issuer AND member_id = OLD.user_id))
    ORDER BY group_id`
