import { setImmediate as nextTurn } from 'node:timers/promises'

import { groupId, type ProvisionedUserRecord } from '@mintmark/storage-interface'
import { compareText, type GroupReference, type ListQuery } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter } from './database.ts'
import type { SqlEngine, SqlPairs, SqlRow } from './dialect.ts'
import { createColumnReader } from './row.ts'

/**
 * The most groups of a user that one statement reads. That takes a few milliseconds, in which SQLite stops the whole process:
 * names have up to 1,024 characters.
 */
export const groupsInRead = 200

/** The most groups of a user that a lookup by a name or an address reads: others wait for it (see `compileLookup`). */
export const groupsInLookup = 50

/**
 * Returns how many groups a statement for a user reads. If the result leaves out groups, it reads one, to find out whether
 * there are any.
 */
export const groupsToRead = (without: ListQuery['without']): number => (without === 'groups' ? 1 : groupsInRead)

/** The name of the group of a membership. */
const nameOf = (membership: string) => sql`(select display_name from mintmark_groups
    where mintmark_groups.issuer = ${sql.ref(`${membership}.issuer`)} and mintmark_groups.group_id = ${sql.ref(`${membership}.group_id`)})`

/** All groups of the user in the outer statement. */
export const groupsOfUser: SqlPairs = {
  first: (alias) => sql`${sql.ref(`${alias}.group_id`)}`,
  second: nameOf,
  table: 'mintmark_group_members',
  index: 'mintmark_group_members_by_member',
  where: (alias) =>
    sql`${sql.ref(`${alias}.issuer`)} = mintmark_users.issuer and ${sql.ref(`${alias}.member_id`)} = mintmark_users.user_id`,
}

/** The first groups of the user in the outer statement, in the order of their identifiers. */
export const firstGroupsOfUser = (p: Parameter<'groups_to_read'>, { wholeNumber }: SqlEngine): SqlPairs => ({
  ...groupsOfUser,
  limit: wholeNumber(sql`${p('groups_to_read')}`),
})

/** Returns a reader of the groups in a row. */
export function groupsReader(engine: SqlEngine): (row: SqlRow) => readonly GroupReference[] {
  const columns = createColumnReader(engine)
  const { decodeText } = engine
  return (row) => {
    const pairs = columns.text(row, 'groups')
    // Most users of most directories are in no group.
    if (pairs === '[]') return []
    return (JSON.parse(pairs) as readonly (readonly [string, string])[])
      .map(([id, name]) => ({ groupId: groupId(decodeText(id)), displayName: decodeText(name) }))
      .toSorted((one, other) => compareText(one.groupId, other.groupId))
  }
}

/**
 * Returns a function that completes a record with its first groups: it adds the other groups in pieces, or leaves out all
 * groups. The other groups are read a moment later. The version of a user does not show that, because it does not change
 * with the groups.
 */
export function createGroupCompletion({
  engine,
  query,
  run,
}: Database): (user: RecordWithGroups, without: ListQuery['without']) => Promise<ProvisionedUserRecord> {
  const columns = createColumnReader(engine)
  const more = compileSql(
    query,
    (
      p: Parameter<'issuer' | 'user_id' | 'after'>,
    ) => sql`select membership.group_id as first, ${nameOf('membership')} as second
      from mintmark_group_members as membership where membership.issuer = ${p('issuer')}
      and membership.member_id = ${p('user_id')} and membership.group_id > ${p('after')}
      order by membership.group_id limit ${sql.lit(groupsInRead)}`,
  )
  return async (user, without) => {
    const { userId, groups: first } = user
    if (without === 'groups') return first.length === 0 ? user : { ...user, groups: undefined }
    if (first.length < groupsInRead) return user
    const groups = [...first]
    for (let read = groupsInRead; read === groupsInRead;) {
      await nextTurn()
      const rows = await run(more, { user_id: userId, after: groups.at(-1)?.groupId ?? '' })
      for (const row of rows)
        groups.push({ groupId: groupId(columns.text(row, 'first')), displayName: columns.text(row, 'second') })
      read = rows.length
    }
    return { ...user, groups }
  }
}

/** A user with the groups that one statement has read. */
export interface RecordWithGroups extends ProvisionedUserRecord {
  readonly groups: readonly GroupReference[]
}
