import { groupId as asGroupId, type GroupId, type GroupMember, type GroupStore } from '@mintmark/storage-interface'
import { sql, type Expression } from 'kysely'
import { createColumnReader } from '../columns.ts'
import type { Database } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { isProviders } from '../is-providers.ts'
import { compileSql, type Parameter } from '../statement.ts'
import { isAmong } from './member-plan.ts'

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
