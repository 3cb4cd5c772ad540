// One file: all statements about the members of groups, which changes, lists and counts share.

import { groupId as asGroupId } from '@mintmark/storage-interface'
import type { GroupId, GroupMember, GroupStore } from '@mintmark/storage-interface/stores'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Expression, type RawBuilder, sql } from 'kysely'
import { type Database, compileSql, type Parameter, type Statement } from '../database.ts'
import type { SqlEngine, SqlKey, SqlRow, SqlValue } from '../dialect.ts'
import { belongsToProvider, createColumnReader, readRows } from '../row.ts'

/**
 * The parameters of a plan of a change of members. `joining`: the members to add, or in a replacement all members. `leaving`: the members that a
 * delta removes.
 */
export type MemberValue = 'issuer' | 'provider_id' | 'group_id' | 'joining' | 'leaving'

/** The most members that one transaction writes: with SQLite, it blocks all other writes and the event loop. */
export const membersInSlice = 250

/** `delta`: the listed members leave. `replace`: members that are not listed leave. */
export type MemberChangeKind = 'delta' | 'replace'

/** The effect of a change on the members of a group, as SQL that uses the queries of `with`. */
interface MemberPlan {
  readonly with: RawBuilder<unknown>
  /** The number of new members that are not users or groups of the provider. */
  readonly unknown: RawBuilder<number>
  /** One of them; null if there are none. */
  readonly unknownMember: RawBuilder<string | null>
  /** The number of members that would join or leave. */
  readonly changes: RawBuilder<number>
}

/**
 * Plans a change of members.
 * @param rows `locked`: locks the rows of new members until the transaction ends. PostgreSQL checks the conditions again
 * after locking a user, so it notices that a user has just been removed.
 */
export function memberPlan(
  p: Parameter<MemberValue>,
  {
    engine,
    kind,
    rows,
  }: { readonly engine: SqlEngine; readonly kind: MemberChangeKind; readonly rows: 'locked' | 'read' },
): MemberPlan {
  const keep = rows === 'locked' ? engine.keepRows : readRows
  const isJoining = (column: Expression<unknown>) => isAmong(p, { engine, column, values: sql`select id from joining` })

  // Looks up each listed member. With `not exists`, the planner could read all members of the group instead, which may be
  // a hundred thousand.
  return {
    with: sql`with joining ${engine.materialized} (
      select distinct listed.value as id from (${engine.listed(sql`${p('joining')}`)}) as listed
      where (select 1 from mintmark_group_members where ${inGroup(p)} and member_id = listed.value) is null
    ), accounts ${engine.materialized} (
      ${keep('user_id', 'mintmark_users', sql`${isJoining(sql`user_id`)} and ${belongsToProvider(p)}`)}
    ), other_groups ${engine.materialized} (
      ${keep('group_id', 'mintmark_groups', sql`${isJoining(sql`group_id`)} and ${belongsToProvider(p)} and group_id <> ${p('group_id')}`)}
    )`,
    unknown: sql`(select count(*) from joining) - (select count(*) from accounts) - (select count(*) from other_groups)`,
    unknownMember: sql`(select min(id) from joining
      where id not in (select user_id from accounts) and id not in (select group_id from other_groups))`,
    changes: sql`(select count(*) from joining)
      + (select count(*) from mintmark_group_members where ${inGroup(p)} and ${isLeaving(p, { engine, kind })})`,
  }
}

/** Returns the condition for the row of a group, or for the rows of its members. */
export const inGroup = (p: Parameter<'issuer' | 'provider_id' | 'group_id'>): Expression<SqlValue> =>
  sql`issuer = ${p('issuer')} and group_id = ${p('group_id')} and ${belongsToProvider(p)}`

/** Whether the change removes a member's row. */
export const isLeaving = (
  p: Parameter<MemberValue>,
  { engine, kind }: { readonly engine: SqlEngine; readonly kind: MemberChangeKind },
): RawBuilder<boolean> =>
  kind === 'delta'
    ? engine.among(sql`member_id`, engine.listed(sql`${p('leaving')}`))
    : sql`member_id not in (${engine.listed(sql`${p('joining')}`)})`

/** Removes the members that leave. */
export const removeMembers = (
  p: Parameter<MemberValue>,
  { engine, kind }: { readonly engine: SqlEngine; readonly kind: MemberChangeKind },
): RawBuilder<unknown> =>
  kind === 'delta'
    ? engine.deleteAmong({
        table: 'mintmark_group_members',
        where: inGroup(p),
        column: sql`member_id`,
        values: engine.listed(sql`${p('leaving')}`),
      })
    : sql`delete from mintmark_group_members where ${inGroup(p)} and ${isLeaving(p, { engine, kind })}`

/** Whether a row of a user or a group has one of the identifiers. */
export const isAmong = (
  p: Parameter<'issuer'>,
  {
    engine,
    column,
    values,
  }: { readonly engine: SqlEngine; readonly column: Expression<unknown>; readonly values: Expression<unknown> },
): RawBuilder<boolean> => engine.keyAmong(ofIssuer(p, column), values)

/** The key of the rows of the issuer whose second column is given. */
export const ofIssuer = (p: Parameter<'issuer'>, column: Expression<unknown>): SqlKey => ({
  issuerColumn: sql`issuer`,
  issuer: sql`${p('issuer')}`,
  column,
})

/** Adds the listed users and groups of the provider. Ignores other identifiers. */
export const addMembers = ({ query, engine }: Pick<Database, 'query' | 'engine'>): Statement<MemberValue> =>
  compileSql(query, (p: Parameter<MemberValue>) => {
    const values = engine.listed(sql`${p('joining')}`)
    const owned = (column: Expression<unknown>) =>
      sql`${isAmong(p, { engine, column, values })} and ${belongsToProvider(p)}`
    return sql`insert into mintmark_group_members (issuer, provider_id, group_id, member_id, member_type)
      select member.issuer, ${p('provider_id')}, ${p('group_id')}, member.id, member.type from (
        select issuer, user_id as id, 'User' as type from mintmark_users where ${owned(sql`user_id`)}
        union all
        select issuer, group_id, 'Group' from mintmark_groups where ${owned(sql`group_id`)}
      ) as member where true ${sql.raw(engine.types.orNothing)}`
  })

/** Returns a function that reads the members of several groups with one statement, or the members of one group in slices. */
export function createMembersOf(database: Database): GroupStore['membersOf'] {
  const { engine, run } = database
  const statements = memberStatements(database)
  const membersIn = createRowGrouping(engine)
  const readSlices = createSliceReader(database, statements)

  async function readOne(
    values: GroupKey,
    groupId: GroupId,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<GroupId, readonly GroupMember[]>> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const members = await readSlices(values, signal)
      if (members !== undefined) return new Map([[groupId, members]])
    }
    // The group changes again and again. A single statement reads one consistent state.
    const all = await run(statements.all, { ...values, groups: engine.encodeSearchable([groupId]) }, { signal })
    return membersIn(all, [groupId])
  }

  return async (providerId, groupIds, { limit, signal } = {}) => {
    const [groupId] = groupIds
    if (groupId === undefined) return new Map()
    const key = { provider_id: providerId }
    if (groupIds.length === 1) return readOne({ ...key, group_id: groupId }, groupId, signal)
    const values = { ...key, groups: engine.encodeSearchable(groupIds) }
    return limit === undefined
      ? membersIn(await run(statements.all, values, { signal }), groupIds)
      : membersIn(await run(statements.within, { ...values, limit, limit_and_one: limit + 1 }, { signal }), [])
  }
}

/** Returns a function that returns the members by group, for `groupIds` and for the groups in the rows. */
function createRowGrouping(engine: SqlEngine) {
  const columns = createColumnReader(engine)

  return (rows: readonly SqlRow[], groupIds: readonly GroupId[]): ReadonlyMap<GroupId, readonly GroupMember[]> => {
    const members = new Map<GroupId, GroupMember[]>(groupIds.map((groupId) => [groupId, []]))
    for (const row of rows) {
      const groupId = asGroupId(columns.text(row, 'group_id'))
      const ofGroup = members.get(groupId) ?? []
      members.set(groupId, ofGroup)
      const memberId = columns.optionalText(row, 'member_id')
      if (memberId !== undefined)
        ofGroup.push({ memberId, type: columns.text(row, 'member_type') as GroupMember['type'] })
    }
    return members
  }
}

/** Returns a function that reads one group. It returns `undefined` when the group was changed between two slices. */
function createSliceReader({ engine, run }: Database, statements: ReturnType<typeof memberStatements>) {
  const columns = createColumnReader(engine)

  return async (values: GroupKey, signal: AbortSignal | undefined): Promise<readonly GroupMember[] | undefined> => {
    const members: GroupMember[] = []
    let version: unknown
    for (let after = ''; ;) {
      const slice = await run(statements.slice, { ...values, after }, { signal })
      const [first] = slice
      const last = slice.at(-1)
      // A group without a row has no members.
      if (first === undefined || last === undefined) return members
      const current = columns.integer(first, 'version')
      if (version !== undefined && current !== version) return undefined
      version = current
      for (const row of slice)
        members.push({
          memberId: columns.text(row, 'member_id'),
          type: columns.text(row, 'member_type') as GroupMember['type'],
        })
      if (slice.length < membersInRead) return members
      after = columns.text(last, 'member_id')
      await nextTurn()
    }
  }
}

/** Creates functions that count members and memberships, up to a limit. */
export function createMemberCounts({
  engine,
  run,
  query,
}: Database): Pick<GroupStore, 'countMembers' | 'countMemberships'> {
  const columns = createColumnReader(engine)
  const counted = (rows: readonly SqlRow[]): number => (rows[0] === undefined ? 0 : columns.integer(rows[0], 'counted'))

  const inGroups = (p: Parameter<MembersValue>, limit: Expression<unknown>) => {
    const groups = engine.listed(sql`${p('groups')}`)
    return sql`select count(*) as counted from (
      select 1 from mintmark_group_members where ${isAmong(p, { engine, column: sql`group_id`, values: groups })} and ${belongsToProvider(p)}
      limit ${limit}
    ) as found`
  }
  // With a literal limit, PostgreSQL plans for that number. With a parameter, it would read a large group in parallel
  // processes.
  const inSmallGroups = compileSql(query, (p: Parameter<MembersValue>) => inGroups(p, sql.lit(membersInCount)))
  const inLargeGroups = compileSql(
    query,
    (p: Parameter<MembersValue | 'at_most'>) => inGroups(p, engine.wholeNumber(sql`${p('at_most')}`)),
    'long',
  )

  const define = (p: Parameter<'issuer' | 'members' | 'beside' | 'at_most'>) => {
    const memberships = sql`mintmark_group_members
      where issuer = ${p('issuer')} and member_id = member.value and group_id <> ${p('beside')}`
    return sql`select coalesce(max(counted), 0) as counted from (
      select ${engine.countUpTo(memberships, engine.wholeNumber(sql`${p('at_most')}`))} as counted
      from (${engine.listed(sql`${p('members')}`)}) as member) as each_member`
  }
  const ofFew = compileSql(query, define)
  const ofMany = compileSql(query, define, 'long')

  return {
    async countMembers(providerId, groupIds, atMost) {
      const values = { provider_id: providerId, groups: engine.encodeSearchable(groupIds) }
      const small = counted(await run(inSmallGroups, values))
      if (small < membersInCount || atMost <= membersInCount) return Math.min(small, atMost)
      return counted(await run(inLargeGroups, { ...values, at_most: atMost }))
    },

    async countMemberships({ memberIds, excludedGroup, atMost }) {
      const statement = memberIds.length > fewMembers ? ofMany : ofFew
      let most = 0
      for (let from = 0; from < memberIds.length && most < atMost; from += membersInCount) {
        const members = engine.encodeSearchable(memberIds.slice(from, from + membersInCount))
        most = Math.max(most, counted(await run(statement, { members, beside: excludedGroup, at_most: atMost })))
      }
      return most
    },
  }
}

/**
 * The memberships of up to this many members are counted on the main connection: a query on the reading thread starts
 * later.
 */
const fewMembers = 20

/** One statement counts at most this many members, or memberships of this many members: each may be in thousands of groups. */
export const membersInCount = 250

type GroupKey = Readonly<Record<'provider_id' | 'group_id', string>>

/** Reading this many members takes a millisecond. */
const membersInRead = 500

type MembersValue = 'issuer' | 'provider_id' | 'groups'

function memberStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const membersOf = (p: Parameter<MembersValue>, groups: Expression<unknown>) =>
    sql`select group_id, member_id, member_type from mintmark_group_members
      where ${isAmong(p, { engine, column: sql`group_id`, values: groups })} and ${belongsToProvider(p)}`

  return {
    all: compileSql(
      query,
      (p: Parameter<MembersValue>) =>
        sql`${membersOf(p, engine.listed(sql`${p('groups')}`))} order by group_id, member_id`,
      'long',
    ),

    /**
     * Reads the next members of a group in the order of their identifiers, with the current version of the group. The provider
     * is looked up in the row of the group: a condition on each member has no statistics, and PostgreSQL would
     * expect so few members that it reads the whole group, in parallel processes, for each slice.
     */
    slice: compileSql(query, (p: Parameter<'issuer' | 'provider_id' | 'group_id' | 'after'>) => {
      const version = sql`(select version from mintmark_groups where ${inGroup(p)})`
      return sql`select group_id, member_id, member_type, ${version} as version from mintmark_group_members
          where issuer = ${p('issuer')} and group_id = ${p('group_id')} and member_id > ${p('after')}
          and ${version} is not null order by member_id limit ${sql.lit(membersInRead)}`
    }),

    /**
     * Reads the members of as many groups as the limit allows. The members of a group are counted only up to the limit. Each
     * returned group also has a row without a member.
     */
    within: compileSql(
      query,
      (p: Parameter<MembersValue | 'limit' | 'limit_and_one'>) => {
        const members = sql`mintmark_group_members
          where issuer = ${p('issuer')} and group_id = asked.value and ${belongsToProvider(p)}`
        return sql`with sized ${engine.materialized} (
        select value as id, place, ${engine.countUpTo(members, engine.wholeNumber(sql`${p('limit_and_one')}`))} as size
        from (${engine.listedInOrder(sql`${p('groups')}`)}) as asked
      ), fitting ${engine.materialized} (
        select id from (select id, place, sum(size) over (order by place) as upto from sized) as summed
        where place = 1 or upto <= ${engine.wholeNumber(sql`${p('limit')}`)}
      ) select id as group_id, null as member_id, null as member_type from fitting
        union all ${membersOf(p, sql`select id from fitting`)} order by group_id, member_id`
      },
      'long',
    ),
  }
}
