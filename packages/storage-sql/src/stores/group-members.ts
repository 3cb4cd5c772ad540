import { type GroupId, groupId as asGroupId } from '@mintmark/storage-interface'
import { type GroupMember, type GroupStore } from '@mintmark/storage-interface/stores'
import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { SqlEngine, SqlRow, SqlValue } from '../dialect.ts'
import { isProviders } from '../keys.ts'
import { createColumnReader } from '../row.ts'
import { compileSql, type Parameter } from '../statement.ts'

/** What a plan is bound to: who is to be in the group, and who is to be in it no more or no matter what. */
export type MemberValue = 'issuer' | 'provider_id' | 'group_id' | 'joining' | 'leaving'

/** `delta`: who is listed as leaving goes. `replace`: who is not listed as joining goes. */
export type MemberChangeKind = 'delta' | 'replace'

/** What a change would do to the members of a group, as SQL over `with`. */
interface MemberPlan {
  readonly with: RawBuilder<unknown>
  /** How many are to join and are no accounts or groups of the provider. */
  readonly unknown: RawBuilder<number>
  /** How many would join or go. */
  readonly changes: RawBuilder<number>
}

/**
 * @param rows `kept`: whoever is to join stays what it is until the transaction ends. PostgreSQL counts an account then as
 * it is once it is kept, also when it was removed a moment before.
 */
export function memberPlan(
  p: Parameter<MemberValue>,
  {
    engine,
    kind,
    rows,
  }: { readonly engine: SqlEngine; readonly kind: MemberChangeKind; readonly rows: 'kept' | 'read' },
): MemberPlan {
  const keep = (table: string) => (rows === 'kept' ? engine.keepRows(table) : sql``)
  const isJoining = (column: Expression<unknown>) => isAmong(p, { engine, column, values: sql`select id from joining` })

  // Each who is listed is looked up, which `not exists` would leave open: a group may have a hundred thousand members.
  return {
    with: sql`with joining as materialized (
      select distinct listed.value as id from (${engine.listed(sql`${p('joining')}`)}) as listed
      where (select 1 from mintmark_group_members where ${inGroup(p)} and member_id = listed.value) is null
    ), accounts as materialized (
      select user_id from mintmark_users where ${isJoining(sql`user_id`)} and ${isProviders(p)} ${keep('mintmark_users')}
    ), other_groups as materialized (
      select group_id from mintmark_groups where ${isJoining(sql`group_id`)} and ${isProviders(p)}
      and group_id <> ${p('group_id')} ${keep('mintmark_groups')}
    )`,
    unknown: sql`(select count(*) from joining) - (select count(*) from accounts) - (select count(*) from other_groups)`,
    changes: sql`(select count(*) from joining)
      + (select count(*) from mintmark_group_members where ${inGroup(p)} and ${isLeaving(p, { engine, kind })})`,
  }
}

/** The row of a group, or the rows of its members. */
export const inGroup = (p: Parameter<'issuer' | 'provider_id' | 'group_id'>): Expression<SqlValue> =>
  sql`issuer = ${p('issuer')} and group_id = ${p('group_id')} and ${isProviders(p)}`

/** Of a member's row: whether the change takes it away. */
export const isLeaving = (
  p: Parameter<MemberValue>,
  { engine, kind }: { readonly engine: SqlEngine; readonly kind: MemberChangeKind },
): RawBuilder<boolean> =>
  kind === 'delta'
    ? engine.among(sql`member_id`, engine.listed(sql`${p('leaving')}`))
    : sql`member_id not in (${engine.listed(sql`${p('joining')}`)})`

/** Of the rows of an account or a group: that it is one of those. */
export const isAmong = (
  p: Parameter<'issuer'>,
  {
    engine,
    column,
    values,
  }: { readonly engine: SqlEngine; readonly column: Expression<unknown>; readonly values: Expression<unknown> },
): RawBuilder<boolean> => engine.keyAmong({ issuerColumn: sql`issuer`, issuer: sql`${p('issuer')}`, column }, values)

/** Who is in groups: one statement, for however many of them. */
export function createMembersOf(database: Database): GroupStore['membersOf'] {
  const { engine, run } = database
  const statements = memberStatements(database)
  const columns = createColumnReader(engine)

  /** By group: of the groups that are given, and of those that the rows name. */
  function membersIn(
    rows: readonly SqlRow[],
    groupIds: readonly GroupId[],
  ): ReadonlyMap<GroupId, readonly GroupMember[]> {
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

  return async (providerId, groupIds, limit) => {
    const values = { provider_id: providerId, groups: engine.encodeSearchable(groupIds) }
    const isOfAll = limit === undefined || groupIds.length < 2
    return isOfAll
      ? membersIn(await run(statements.all, values), groupIds)
      : membersIn(await run(statements.within, { ...values, limit }), [])
  }
}

type MembersValue = 'issuer' | 'provider_id' | 'groups'

function memberStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  const membersOf = (p: Parameter<MembersValue>, groups: Expression<unknown>) =>
    sql`select group_id, member_id, member_type from mintmark_group_members
      where ${isAmong(p, { engine, column: sql`group_id`, values: groups })} and ${isProviders(p)}`

  return {
    all: compileSql(
      query,
      (p: Parameter<MembersValue>) =>
        sql`${membersOf(p, engine.listed(sql`${p('groups')}`))} order by group_id, member_id`,
    ),

    /** As far as the limit goes: of no group more are counted. A group that is told of has a row without a member, too. */
    within: compileSql(query, (p: Parameter<MembersValue | 'limit'>) => {
      const limit = sql`cast(${p('limit')} as bigint)`
      return sql`with sized as materialized (
        select value as id, place, (select count(*) from (
          select 1 from mintmark_group_members where issuer = ${p('issuer')} and group_id = asked.value and ${isProviders(p)}
          limit ${limit} + 1
        ) as counted) as size from (${engine.listedInOrder(sql`${p('groups')}`)}) as asked
      ), fitting as materialized (
        select id from (select id, place, sum(size) over (order by place) as upto from sized) as summed
        where place = 1 or upto <= ${limit}
      ) select id as group_id, null as member_id, null as member_type from fitting
        union all ${membersOf(p, sql`select id from fitting`)} order by group_id, member_id`
    }),
  }
}
