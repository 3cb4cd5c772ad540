import type { SqlEngine, SqlTrigger } from '../../dialect.ts'
import { decrementTotal } from './user-triggers.ts'

/** As many as `membersInSlice`, which may change later. */
const few = 250

const membershipsOfOld = 'mintmark_group_members WHERE issuer = OLD.issuer AND member_id = OLD.user_id'

const count = `(SELECT count(*) FROM (SELECT 1 FROM ${membershipsOfOld} LIMIT ${few + 1}) AS counted)`

const fewGroupsOfOld = `SELECT group_id FROM ${membershipsOfOld} AND ${count} <= ${few}`

const groupsOfOld = { table: 'mintmark_groups', issuer: 'OLD.issuer', column: 'group_id', query: fewGroupsOfOld }

/**
 * Removes the memberships of a user who leaves the provider. One statement that removes five thousand memberships takes a tenth
 * of a second, in which a process on SQLite does nothing else: those of a member of many groups are removed later, in slices.
 */
export const departureTrigger = ({ orNothing, changeFound }: SqlEngine['types']): SqlTrigger => ({
  name: 'mintmark_user_unlinked',
  table: 'mintmark_users',
  after: 'UPDATE OF provider_id',
  when: 'OLD.provider_id IS NOT NULL AND NEW.provider_id IS NULL',
  /*
   * Users that leave the same groups at the same time are serialized. A PostgreSQL statement sees the rows of the moment at
   * which it began: one statement that locks and changes the groups would lock the current version of a group and then change
   * an older one, for which another transaction waits that in turn waits for this lock. A separate statement takes the
   * locks, and the next one sees what the last holder committed. It takes them in one order, so that two removals from
   * the same groups do not deadlock. Adding a member takes a lock on the user's row.
   */
  lockFirst: groupsOfOld,
  statements: [
    `INSERT INTO mintmark_departures (issuer, provider_id, member_id, left_at)
    SELECT OLD.issuer, OLD.provider_id, OLD.user_id, NEW.updated_at WHERE ${count} > ${few} ${orNothing}`,
    changeFound({ ...groupsOfOld, set: 'version = version + 1, updated_at = NEW.updated_at' }),
    // The redundant condition on groups makes SQLite find the rows by their key.
    `DELETE FROM mintmark_group_members
    WHERE issuer = OLD.issuer AND member_id = OLD.user_id AND group_id IN (${fewGroupsOfOld})`,
    // Last, because it locks the total, which all users of the provider share, until the transaction ends.
    decrementTotal(`'User'`),
  ],
})
