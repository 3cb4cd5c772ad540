import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createSharedWork } from '@mintmark/internal'
import type { GroupId, ProviderId } from '@mintmark/storage-interface/stores'
import { sql, type Expression } from 'kysely'
import { compileSql, type Database, type Parameter } from '../database.ts'
import type { SqlStep } from '../dialect.ts'
import { createColumnReader } from '../row.ts'
import { createDepartures, departuresOf, unlessUnavailable } from './departures.ts'
import {
  addMembers,
  inGroup,
  isAmong,
  isLeaving,
  memberPlan,
  membersInSlice,
  type MemberValue,
  removeMembers,
} from './group-members.ts'

/** A change of more members than one transaction may write. It is recorded as a whole, and then carried out in slices. */
export interface LargeChange {
  readonly providerId: ProviderId
  readonly groupId: GroupId
  /** Users and groups of the provider that are not members yet. */
  readonly joining: readonly string[]
  /** Members to remove. */
  readonly leaving: readonly string[]
}

/**
 * Creates functions that write many members. A transaction of twenty thousand rows takes a second, in which a process on
 * SQLite does nothing else and no process writes. So a large change is first recorded, in the transaction that changes the
 * group's version. From then on it is in effect. Its rows follow in short transactions. Whoever reads the members carries out
 * the rest first, even after a crash.
 */
export function createGroupChanges(database: Database) {
  const { engine, run, step } = database
  const statements = changeStatements(database)
  const columns = createColumnReader(engine)
  const departures = createDepartures(database)
  const share = createSharedWork<void>()
  const carryOut = createCarryOut(database, statements)

  const carryOutOnce = (change: LargeChange, changeId: string): Promise<void> =>
    share(changeId, () => carryOut(change, changeId))

  return {
    /** Carries out the recorded changes of the groups, and the departures from all groups of the provider. */
    async finish(providerId: ProviderId, groupIds: readonly GroupId[]): Promise<void> {
      const pending = { provider_id: providerId, groups: engine.encodeSearchable(groupIds) }
      for (const row of await run(statements.findPending, pending)) {
        const departed = columns.optionalText(row, 'departed')
        if (departed !== undefined) {
          await departures.carryOut(departed)
          continue
        }
        const change = {
          providerId,
          groupId: columns.text(row, 'group_id') as GroupId,
          joining: JSON.parse(columns.text(row, 'joining')) as readonly string[],
          leaving: JSON.parse(columns.text(row, 'leaving')) as readonly string[],
        }
        await carryOutOnce(change, columns.text(row, 'change_id'))
      }
    },

    /** Carries out recorded changes of any groups, and departures, such as those of a process that has crashed. */
    async finishAny(): Promise<void> {
      for (const row of await run(statements.findAny, {}))
        await this.finish(columns.text(row, 'provider_id') as ProviderId, [columns.text(row, 'group_id') as GroupId])
      await departures.finishAny()
    },

    /** Returns a step that records the change, and a function that carries it out after the transaction. */
    write(change: LargeChange): { readonly step: SqlStep; readonly carryOut: () => Promise<void> } {
      const changeId = randomUUID()
      const values = {
        provider_id: change.providerId,
        group_id: change.groupId,
        change_id: changeId,
        joining: JSON.stringify(change.joining),
        leaving: JSON.stringify(change.leaving),
      }
      return {
        step: step(statements.write, values),
        async carryOut() {
          await unlessUnavailable(() => carryOutOnce(change, changeId))
        },
      }
    },

    departures,
    ...createExamination(database, statements),

    /** Returns a step that deletes the recorded changes of a group that is removed. */
    forget: (providerId: ProviderId, groupId: GroupId): SqlStep =>
      step(statements.forget, { provider_id: providerId, group_id: groupId }),
  }
}

type ChangeStatements = ReturnType<typeof changeStatements>

/** Returns a function that carries out a recorded change. Every slice checks that no other process has finished it. */
function createCarryOut({ engine, step, transact }: Database, statements: ChangeStatements) {
  return async ({ providerId, groupId, joining, leaving }: LargeChange, changeId: string): Promise<void> => {
    const key = { provider_id: providerId, group_id: groupId, change_id: changeId }
    const none = { joining: engine.encodeSearchable([]), leaving: engine.encodeSearchable([]) }
    const slices = [
      ...slicesOf(leaving).map((ids) => [
        step(statements.removeMembers, { ...key, ...none, leaving: engine.encodeSearchable(ids) }),
      ]),
      ...slicesOf(joining).map((ids) => {
        const values = { ...key, ...none, joining: engine.encodeSearchable(ids) }
        return [step(statements.keepJoining, values), step(statements.addMembers, values)]
      }),
      [step(statements.finish, key)],
    ]
    for (const slice of slices) {
      const rows = await transact([step(statements.keep, key, 'guard'), ...slice])
      if (rows === undefined) return
      await nextTurn()
    }
  }
}

/** Finds out what a change of many members would do, in slices. */
function createExamination({ engine, run }: Database, statements: ChangeStatements) {
  const columns = createColumnReader(engine)

  return {
    /** Returns the identifiers that are not members yet. `unknown` is an identifier that the provider does not have. */
    async examineJoining(
      { providerId, groupId }: Pick<LargeChange, 'providerId' | 'groupId'>,
      ids: readonly string[],
    ): Promise<{ readonly joining: readonly string[]; readonly unknown: string | undefined }> {
      const joining: string[] = []
      for (const slice of slicesOf([...new Set(ids)])) {
        const values = {
          provider_id: providerId,
          group_id: groupId,
          joining: engine.encodeSearchable(slice),
          leaving: engine.encodeSearchable([]),
        }
        for (const row of await run(statements.examine, values)) {
          const id = columns.text(row, 'id')
          if (!columns.flag(row, 'known')) return { joining: [], unknown: id }
          joining.push(id)
        }
        await nextTurn()
      }
      return { joining, unknown: undefined }
    },

    /** Returns the identifiers that are members. */
    async examineLeaving(
      { providerId, groupId }: Pick<LargeChange, 'providerId' | 'groupId'>,
      ids: readonly string[],
    ): Promise<readonly string[]> {
      const leaving: string[] = []
      for (const slice of slicesOf([...new Set(ids)])) {
        const values = {
          provider_id: providerId,
          group_id: groupId,
          joining: engine.encodeSearchable([]),
          leaving: engine.encodeSearchable(slice),
        }
        for (const row of await run(statements.members, values)) leaving.push(columns.text(row, 'member_id'))
        await nextTurn()
      }
      return leaving
    },
  }
}

function slicesOf(ids: readonly string[]): readonly (readonly string[])[] {
  const slices: (readonly string[])[] = []
  for (let from = 0; from < ids.length; from += membersInSlice) slices.push(ids.slice(from, from + membersInSlice))
  return slices
}

/** Whether no recorded change of the group has to be carried out. */
export const isSettled = (p: Parameter<'issuer' | 'group_id'>): Expression<boolean> =>
  sql<boolean>`not exists (select 1 from mintmark_group_changes where issuer = ${p('issuer')} and group_id = ${p('group_id')})`

type Key = 'issuer' | 'provider_id' | 'group_id' | 'change_id'

function changeStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  return {
    findPending: compileSql(query, (p: Parameter<'issuer' | 'provider_id' | 'groups'>) => {
      const groups = engine.listed(sql`${p('groups')}`)
      return sql`select member_id as departed, null as group_id, null as change_id, null as joining, null as leaving
          from ${departuresOf(p)}
        union all select null, group_id, change_id, joining, leaving from mintmark_group_changes
          where ${isAmong(p, { engine, column: sql`group_id`, values: groups })}`
    }),
    findAny: compileSql(
      query,
      (p: Parameter<'issuer'>) =>
        sql`select provider_id, group_id from mintmark_group_changes where issuer = ${p('issuer')} and group_id > '' order by group_id limit 10`,
    ),
    write: compileSql(
      query,
      (p: Parameter<Key | 'joining' | 'leaving'>) =>
        sql`insert into mintmark_group_changes (issuer, provider_id, group_id, change_id, joining, leaving)
        values (${p('issuer')}, ${p('provider_id')}, ${p('group_id')}, ${p('change_id')}, ${p('joining')}, ${p('leaving')})`,
    ),
    /** Locks the change: other processes that carry it out wait. */
    keep: compileSql(
      query,
      (p: Parameter<Key>) =>
        sql`select change_id from mintmark_group_changes where ${isThisChange(p)} ${sql.raw(engine.types.lockForRemoval)}`,
    ),
    finish: compileSql(query, (p: Parameter<Key>) => sql`delete from mintmark_group_changes where ${isThisChange(p)}`),
    forget: compileSql(
      query,
      (p: Parameter<'issuer' | 'provider_id' | 'group_id'>) =>
        sql`delete from mintmark_group_changes where issuer = ${p('issuer')} and group_id = ${p('group_id')}`,
    ),
    removeMembers: compileSql(query, (p: Parameter<MemberValue>) => removeMembers(p, { engine, kind: 'delta' })),
    addMembers: addMembers({ query, engine }),
    /** Locks the new members: a concurrent removal of a user waits, and then removes the new membership as well. */
    keepJoining: compileSql(query, (p: Parameter<MemberValue>) => {
      const plan = memberPlan(p, { engine, kind: 'delta', rows: 'locked' })
      return sql`${plan.with} select ${plan.unknown} as unknown`
    }),
    examine: compileSql(query, (p: Parameter<MemberValue>) => {
      const plan = memberPlan(p, { engine, kind: 'delta', rows: 'read' })
      return sql`${plan.with} select id, case when id in (select user_id from accounts) or id in (select group_id from other_groups)
        then ${sql.lit(engine.encodeFlag(true))} else ${sql.lit(engine.encodeFlag(false))} end as known from joining`
    }),
    members: compileSql(
      query,
      (p: Parameter<MemberValue>) =>
        sql`select member_id from mintmark_group_members where ${inGroup(p)} and ${isLeaving(p, { engine, kind: 'delta' })}`,
    ),
  }
}

const isThisChange = (p: Parameter<Key>) =>
  sql`issuer = ${p('issuer')} and group_id = ${p('group_id')} and change_id = ${p('change_id')}`
