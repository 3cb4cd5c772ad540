import type { Migration } from './migration.ts'
import { decrementTotal, userTriggers } from './provisioning-triggers.ts'

/**
 * Members of many groups that have left their provider, and whose memberships are not removed yet. One statement that removes
 * five thousand memberships takes a tenth of a second, in which a process on SQLite does nothing else. Before, the
 * statement that removed a user always did that.
 */
export const departures: Migration = {
  number: 52,
  name: '0052-departures',
  statements: (types) => {
    const { text, integer, smallRowTable } = types
    return [
      `CREATE TABLE mintmark_departures (
  issuer ${text} NOT NULL,
  provider_id ${text} NOT NULL,
  member_id ${text} NOT NULL,
  left_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, member_id)
) ${smallRowTable}`,
      'CREATE INDEX mintmark_departures_by_provider ON mintmark_departures (issuer, provider_id, member_id)',
      ...userTriggers(types)
        .filter(({ name }) => name === 'mintmark_user_unlinked')
        .flatMap((trigger) => {
          const changed = {
            ...trigger,
            statements: [recordDeparture, touchGroups, removeMemberships, decrementTotal('User')],
          }
          return [...types.dropTrigger(trigger), ...types.trigger(changed), ...types.lockFirst(changed, groupsToLock)]
        }),
    ]
  },
}

/** As many as `membersInSlice`, which may change later. */
const few = 250

const membershipsOfOld = 'mintmark_group_members WHERE issuer = OLD.issuer AND member_id = OLD.user_id'

const count = `(SELECT count(*) FROM (SELECT 1 FROM ${membershipsOfOld} LIMIT ${few + 1}) AS counted)`

const fewGroupsOfOld = `SELECT group_id FROM ${membershipsOfOld} AND ${count} <= ${few}`

/** See migration 6: they are locked by a statement of their own, and in one order. */
const groupsToLock = `mintmark_groups WHERE issuer = OLD.issuer AND group_id = ANY (ARRAY(${fewGroupsOfOld})) ORDER BY group_id`

const recordDeparture = `INSERT INTO mintmark_departures (issuer, provider_id, member_id, left_at)
    SELECT OLD.issuer, OLD.provider_id, OLD.user_id, NEW.updated_at WHERE ${count} > ${few} ON CONFLICT DO NOTHING`

const touchGroups = `UPDATE mintmark_groups SET version = version + 1, updated_at = NEW.updated_at
    WHERE issuer = OLD.issuer AND group_id IN (${fewGroupsOfOld})`

// The redundant condition on groups makes SQLite find the rows by their key.
const removeMemberships = `DELETE FROM mintmark_group_members
    WHERE issuer = OLD.issuer AND member_id = OLD.user_id AND group_id IN (${fewGroupsOfOld})`
