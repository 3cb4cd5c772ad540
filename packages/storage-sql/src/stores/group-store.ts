// One file: the methods of one store. All of them write a group and its members in one step.

import {
  type GroupChangeOutcome,
  type GroupRecord,
  type GroupStore,
  type MemberChange,
  type RemovalOutcome,
  untilSettled,
} from '@mintmark/storage-interface/stores'
import { groups } from '@mintmark/storage-interface/records'
import type { Database } from '../database.ts'
import { orDuplicate, type SqlEngine, type SqlRow, type SqlStep, type SqlValue } from '../dialect.ts'
import { type ColumnReader, indexKey, versionRange, createColumnReader } from '../row.ts'
import { listedGroups } from '../list/kinds.ts'
import { createLister } from '../list/lister.ts'
import { providerParameters } from '../list/lookup.ts'
import { rowReader } from '../record-table.ts'
import { unlessUnavailable } from './departures.ts'
import { createGroupChanges } from './group-changes.ts'
import { createMemberCounts, createMembersOf, membersInSlice, type MemberValue } from './group-members.ts'
import { groupStatements, groupStateRow } from './group-statements.ts'

export function createGroupStore(database: Database, { scanLimit }: { readonly scanLimit: number }): GroupStore {
  const { engine, run, step, transact, oneAtATime } = database
  const statements = groupStatements(database)
  const columns = createColumnReader(engine)
  const read = groupReader(engine)
  const changes = createGroupChanges(database)
  const membersOf = createMembersOf(database)
  const counts = createMemberCounts(database)
  const change = createGroupChange(database, { statements, changes, membersOf })

  /** Explains why a group was not inserted. @returns `undefined` if the row that was read does not explain it. */
  async function explainInsertion(values: Parameters<typeof run<MemberValue | 'external_id_key'>>[1]) {
    const [row] = await run(statements.inspectInsertion, values)
    if (row === undefined || columns.flag(row, 'id_taken')) return { outcome: 'taken', key: 'id' } as const
    if (columns.flag(row, 'external_id_taken')) return { outcome: 'taken', key: 'externalId' } as const
    return memberUnknown(columns, row)
  }

  /** Removes the members of a large group first: removing the group would remove all their rows in one statement. */
  async function emptyLargeGroup({ providerId, groupId, version, now }: Removal) {
    const [counted] = await run(statements.countUpToSlice, { provider_id: providerId, group_id: groupId })
    if (counted === undefined || columns.integer(counted, 'members') <= membersInSlice) return undefined
    const members = { kind: 'replace', memberIds: [] } as const
    const outcome = await change({ providerId, groupId, version, state: undefined, members, now })
    // Without a new state and new members, no key can be taken and no member unknown.
    if (outcome.outcome === 'taken' || outcome.outcome === 'memberUnknown') return undefined
    return outcome.outcome === 'unchanged' ? undefined : outcome
  }

  const list = createLister(database, { kind: listedGroups, read, owner: providerParameters }, { scanLimit })

  return {
    async list(query) {
      // A filter may ask for the members or the times of the groups.
      if (query.filter !== undefined) await changes.finish(query.providerId, [])
      return list(query)
    },

    async insert({ providerId, groupId, state, memberIds, createdAt }) {
      const values = {
        ...groupStateRow(state, engine),
        ...memberValues({ kind: 'replace', memberIds }, engine),
        provider_id: providerId,
        group_id: groupId,
        has_state: 1,
        created_at: createdAt,
      }
      const steps = [
        step(statements.delta.plan, values, 'guard'),
        // Comes after the steps that may wait, because it locks the total, which all groups share, until the transaction ends.
        step(statements.insert, values, 'guard'),
        step(statements.addMembers, values),
        step(statements.find, values),
      ]
      const isLarge = memberIds.length > membersInSlice
      return untilSettled(async () => {
        if (isLarge) {
          const { joining, unknown } = await changes.examineJoining({ providerId, groupId }, memberIds)
          if (unknown !== undefined) return explainInsertion({ ...values, joining: engine.encodeSearchable([unknown]) })
          const written = changes.write({ providerId, groupId, joining, leaving: [] })
          const rows = await orDuplicate(
            transact([step(statements.insert, values, 'guard'), written.step, step(statements.find, values)]),
          )
          const [inserted] = rows === 'duplicate' ? [] : (rows ?? [])
          if (inserted === undefined) return explainInsertion({ ...values, joining: engine.encodeSearchable([]) })
          await written.carryOut()
          return { outcome: 'inserted', record: read(inserted) }
        }
        const rows = await orDuplicate(memberIds.length === 0 ? run(statements.insert, values) : transact(steps))
        const [inserted] = rows === 'duplicate' ? [] : (rows ?? [])
        return inserted === undefined ? explainInsertion(values) : { outcome: 'inserted', record: read(inserted) }
      })
    },

    async find(providerId, groupId) {
      const key = { provider_id: providerId, group_id: groupId }
      const [row] = await run(statements.findWithDepartures, key)
      if (row === undefined || !columns.flag(row, 'has_departures')) return row === undefined ? undefined : read(row)
      // The version of the group may have to advance.
      await changes.finish(providerId, [])
      const [current] = await run(statements.find, key)
      return current === undefined ? undefined : read(current)
    },

    async findByExternalId(providerId, externalId) {
      const key = { provider_id: providerId, external_id_key: indexKey(externalId) }
      const [row] = await run(statements.findByExternalId, key)
      return row === undefined ? undefined : read(row)
    },

    async membersOf(providerId, groupIds, options) {
      await changes.finish(providerId, groupIds)
      return membersOf(providerId, groupIds, options)
    },

    async countMembers(providerId, groupIds, atMost) {
      await changes.finish(providerId, groupIds)
      return counts.countMembers(providerId, groupIds, atMost)
    },

    countMemberships: (query) => counts.countMemberships(query),

    change,

    async remove({ providerId, groupId, version: expected, now }) {
      const emptied = await emptyLargeGroup({ providerId, groupId, version: expected, now })
      if (emptied !== undefined && emptied.outcome !== 'swapped') return emptied
      const version = expected === undefined ? undefined : (emptied?.record.version ?? expected)
      const values = { provider_id: providerId, group_id: groupId, ...versionRange(version), now }
      const isInMany = await changes.departures.isInMany(groupId)
      const steps = [
        step(isInMany ? statements.lockAlone : statements.lockForRemoval, values, 'guard'),
        changes.forget(providerId, groupId),
        ...(isInMany
          ? [changes.departures.record(providerId, groupId, now)]
          : [step(statements.touchParents, values), step(statements.removeFromParents, values)]),
        // Last, because it locks the total.
        step(statements.remove, values, 'guard'),
      ]
      const settle = (): Promise<RemovalOutcome> =>
        untilSettled(async () => {
          if ((await transact(steps)) !== undefined) return { outcome: 'removed' }

          const [current] = await run(statements.find, values)
          if (current === undefined) return { outcome: 'absent' }
          const isAsExpected = version === undefined || columns.integer(current, 'version') === version
          return isAsExpected ? undefined : { outcome: 'conflict' }
        })
      const outcome = await oneAtATime(groupId, settle)
      if (isInMany && outcome.outcome === 'removed') await unlessUnavailable(() => changes.finish(providerId, []))
      return outcome
    },
  }
}

// The changes of groups are in this file because they share statements and readers with the store.

type Change = Parameters<GroupStore['change']>[0]

type Removal = Parameters<GroupStore['remove']>[0]

/** Changes groups and their members: with one transaction, and one read that explains why nothing was written. */
function createGroupChange(
  { engine, run, step, transact, oneAtATime }: Database,
  { statements, changes, membersOf }: GroupChangeDependencies,
): GroupStore['change'] {
  const columns = createColumnReader(engine)
  const read = groupReader(engine)

  const changeValues = ({ providerId, groupId, version, state, members, now }: Change) => ({
    ...(state === undefined ? noState : groupStateRow(state, engine)),
    ...memberValues(members, engine),
    ...versionRange(version),
    provider_id: providerId,
    group_id: groupId,
    has_state: state === undefined ? 0 : 1,
    now,
  })

  /** The lock comes first, so that the following statements see the group as it is until the transaction ends. */
  function stepsOf(change: Change): readonly SqlStep[] {
    const values = changeValues(change)
    const kind = change.members?.kind ?? 'delta'
    const { joining, leaving } = memberLists(change.members)
    return [
      step(statements.lock, values, 'guard'),
      step(statements[kind].plan, values, 'guard'),
      ...(kind === 'replace' || leaving.length > 0 ? [step(statements[kind].removeMembers, values)] : []),
      ...(joining.length > 0 ? [step(statements.addMembers, values)] : []),
      step(change.state === undefined ? statements.touch : statements.write, values, 'guard'),
    ]
  }

  const write = (change: Change): Promise<readonly SqlRow[] | 'duplicate' | undefined> => {
    // A change without members is one row and one statement.
    const { members, state } = change
    return members === undefined && state !== undefined
      ? orDuplicate(run(statements.write, changeValues(change)))
      : transactUnique(stepsOf(change))
  }

  const transactUnique = (steps: readonly SqlStep[]) => orDuplicate(transact(steps))

  /** Explains why nothing was written. @returns `undefined` if the row that was read does not explain it. */
  async function explain(change: Change): Promise<GroupChangeOutcome | undefined> {
    const { inspect } = statements[change.members?.kind ?? 'delta']
    const [row] = await run(inspect, changeValues(change))
    if (row === undefined) return { outcome: 'absent' }
    if (change.version !== undefined && columns.integer(row, 'version') !== change.version)
      return { outcome: 'conflict' }
    if (columns.flag(row, 'external_id_taken')) return { outcome: 'taken', key: 'externalId' }
    const unknown = memberUnknown(columns, row)
    if (unknown !== undefined) return unknown
    const isChange = change.state !== undefined || columns.integer(row, 'changes') > 0
    return isChange ? undefined : { outcome: 'unchanged', record: read(row) }
  }

  /** Whether a change may write more members than one transaction may write. */
  async function mayBeLarge({ providerId, groupId, members }: Change): Promise<boolean> {
    if (members === undefined) return false
    if (members.kind === 'delta') return members.add.length + members.remove.length > membersInSlice
    if (members.memberIds.length > membersInSlice) return true
    const [counted] = await run(statements.countUpToSlice, { provider_id: providerId, group_id: groupId })
    return counted !== undefined && columns.integer(counted, 'members') > membersInSlice
  }

  /** Finds out which members join and which leave, given the present members of the group. */
  async function examine({ providerId, groupId }: Change, members: MemberChange) {
    const group = { providerId, groupId }
    const { joining, leaving } = memberLists(members)
    const found = await changes.examineJoining(group, joining)
    if (members.kind === 'delta') return { ...found, leaving: await changes.examineLeaving(group, leaving) }
    const present = await membersOf(providerId, [groupId])
    const remaining = new Set(joining)
    const removed = (present.get(groupId) ?? []).flatMap(({ memberId }) => (remaining.has(memberId) ? [] : [memberId]))
    return { ...found, leaving: removed }
  }

  /**
   * Finds out which members join and leave, records that if the group still has the same version, and carries it out.
   * @returns `undefined` if the group was changed meanwhile.
   */
  async function changeMany(change: Change, members: MemberChange): Promise<GroupChangeOutcome | undefined> {
    const { providerId, groupId } = change
    const [row] = await run(statements.find, { provider_id: providerId, group_id: groupId })
    if (row === undefined) return { outcome: 'absent' }
    const { version } = read(row)
    if (change.version !== undefined && change.version !== version) return { outcome: 'conflict' }

    const { joining, leaving, unknown } = await examine(change, members)
    if (unknown !== undefined) return explain({ ...change, members: { kind: 'delta', add: [unknown], remove: [] } })
    const exact = { ...change, version, members: { kind: 'delta', add: joining, remove: leaving } } as const
    if (joining.length + leaving.length <= membersInSlice) {
      const written = await write(exact)
      if (written === 'duplicate') return { outcome: 'taken', key: 'externalId' }
      const [swapped] = written ?? []
      if (swapped !== undefined) return { outcome: 'swapped', record: read(swapped) }
      const outcome = await explain(exact)
      // Without a version of the caller, the conflict is with the version that was read above: the change starts again.
      return outcome?.outcome === 'conflict' && change.version === undefined ? undefined : outcome
    }

    const recorded = changes.write({ providerId, groupId, joining, leaving })
    const values = changeValues({ ...exact, members: undefined })
    const rows = await transactUnique([
      step(statements.lock, values, 'guard'),
      recorded.step,
      step(change.state === undefined ? statements.touch : statements.write, values, 'guard'),
    ])
    if (rows === 'duplicate') return { outcome: 'taken', key: 'externalId' }
    const [swapped] = rows ?? []
    if (swapped === undefined) return undefined
    await recorded.carryOut()
    return { outcome: 'swapped', record: read(swapped) }
  }

  const settle = (change: Change): Promise<GroupChangeOutcome> =>
    untilSettled(async () => {
      const { providerId, groupId, members } = change
      if (members !== undefined) await changes.finish(providerId, [groupId])
      if (members !== undefined && (await mayBeLarge(change))) return changeMany(change, members)
      const written = await write(change)
      if (written === 'duplicate') return { outcome: 'taken', key: 'externalId' }
      const [row] = written ?? []
      return row === undefined ? explain(change) : { outcome: 'swapped', record: read(row) }
    })

  return (change) => oneAtATime(change.groupId, () => settle(change))
}

interface GroupChangeDependencies {
  readonly statements: ReturnType<typeof groupStatements>
  readonly changes: ReturnType<typeof createGroupChanges>
  readonly membersOf: GroupStore['membersOf']
}

/** Returns the parameters of the statements about members. */
function memberValues(
  change: MemberChange | undefined,
  { encodeSearchable }: SqlEngine,
): Readonly<Record<'joining' | 'leaving', SqlValue>> {
  const { joining, leaving } = memberLists(change)
  return { joining: encodeSearchable(joining), leaving: encodeSearchable(leaving) }
}

/** Returns the members that a change adds and removes. A member in both lists of a delta is added. */
function memberLists(change: MemberChange | undefined): {
  readonly joining: readonly string[]
  readonly leaving: readonly string[]
} {
  if (change === undefined) return { joining: [], leaving: [] }
  if (change.kind === 'replace') return { joining: change.memberIds, leaving: [] }
  const added = new Set(change.add)
  return { joining: change.add, leaving: change.remove.filter((id) => !added.has(id)) }
}

// The reader sets the members that the definition names.
const groupReader = (engine: SqlEngine) => rowReader(groups.fields, engine) as (row: SqlRow) => GroupRecord

/** The state parameters of statements that do not set a state. */
const noState = {
  external_id: null,
  external_id_key: null,
  display_name: null,
  display_name_key: null,
  resource: null,
  comparable: null,
}

/** @returns `undefined` if the row names no unknown member. */
function memberUnknown(columns: ColumnReader, row: SqlRow) {
  const memberId = columns.optionalText(row, 'unknown_member')
  return memberId === undefined ? undefined : ({ outcome: 'memberUnknown', memberId } as const)
}
