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
import { type SqlEngine, type SqlRow, type SqlStep, type SqlValue, UniqueViolationError } from '../dialect.ts'
import { indexKey, versionRange, createColumnReader } from '../row.ts'
import { listedGroups } from '../list/kinds.ts'
import { createLister } from '../list/lister.ts'
import { providerOf } from '../list/lookup.ts'
import { rowReader } from '../record-table.ts'
import { createMembersOf } from './group-members.ts'
import { groupStatements, groupStateRow } from './group-statements.ts'

export function createGroupStore(database: Database, { scanLimit }: { readonly scanLimit: number }): GroupStore {
  const { engine, run, step, transact, oneAtATime } = database
  const statements = groupStatements(database)
  const columns = createColumnReader(engine)
  const read = groupReader(engine)

  return {
    list: createLister(database, { kind: listedGroups, read, owner: providerOf }, { scanLimit }),

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
        // After the steps that may wait: it locks the total, which every group shares, until the transaction ends.
        step(statements.insert, values, 'guard'),
        step(statements.addMembers, values),
        step(statements.find, values),
      ]
      return untilSettled(async () => {
        const rows = memberIds.length === 0 ? await run(statements.insert, values) : await transact(steps)
        const [inserted] = rows ?? []
        if (inserted !== undefined) return { outcome: 'inserted', record: read(inserted) }

        const [row] = await run(statements.findTaken, values)
        if (row === undefined || columns.flag(row, 'id_taken')) return { outcome: 'taken', key: 'id' }
        if (columns.flag(row, 'external_id_taken')) return { outcome: 'taken', key: 'externalId' }
        return columns.integer(row, 'unknown') > 0 ? { outcome: 'memberUnknown' } : undefined
      })
    },

    async find(providerId, groupId) {
      const [row] = await run(statements.find, { provider_id: providerId, group_id: groupId })
      return row === undefined ? undefined : read(row)
    },

    async findByExternalId(providerId, externalId) {
      const key = { provider_id: providerId, external_id_key: indexKey(externalId) }
      const [row] = await run(statements.findByExternalId, key)
      return row === undefined ? undefined : read(row)
    },

    membersOf: createMembersOf(database),

    change: createGroupChange(database, statements),

    async remove({ providerId, groupId, version, now }) {
      const values = { provider_id: providerId, group_id: groupId, ...versionRange(version), now }
      const steps = [
        step(statements.lockForRemoval, values, 'guard'),
        step(statements.touchParents, values),
        step(statements.endMemberships, values),
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
      return oneAtATime(groupId, settle)
    },
  }
}

type Change = Parameters<GroupStore['change']>[0]

/** Changes groups and their members: one transaction to write, one read to explain why nothing was written. */
function createGroupChange(
  { engine, run, step, transact, oneAtATime }: Database,
  statements: ReturnType<typeof groupStatements>,
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

  /** The lock comes first, so that the following statements see the group as it stays until the end. */
  function stepsOf(change: Change): readonly SqlStep[] {
    const values = changeValues(change)
    const kind = change.members?.kind ?? 'delta'
    const { joining, leaving } = memberLists(change.members)
    return [
      step(statements.lock, values, 'guard'),
      step(statements[kind].plan, values, 'guard'),
      ...(kind === 'replace' || leaving.length > 0 ? [step(statements[kind].takeAway, values)] : []),
      ...(joining.length > 0 ? [step(statements.addMembers, values)] : []),
      step(change.state === undefined ? statements.touch : statements.write, values, 'guard'),
    ]
  }

  async function write(change: Change): Promise<readonly SqlRow[] | 'duplicate' | undefined> {
    try {
      // Without members it is one row and one statement.
      const { members, state } = change
      return members === undefined && state !== undefined
        ? await run(statements.write, changeValues(change))
        : await transact(stepsOf(change))
    } catch (error) {
      if (error instanceof UniqueViolationError) return 'duplicate'
      throw error
    }
  }

  /** Explains why nothing was written. @returns `undefined` if what was read does not explain it. */
  async function explain(change: Change): Promise<GroupChangeOutcome | undefined> {
    const { inspect } = statements[change.members?.kind ?? 'delta']
    const [row] = await run(inspect, changeValues(change))
    if (row === undefined) return { outcome: 'absent' }
    if (change.version !== undefined && columns.integer(row, 'version') !== change.version)
      return { outcome: 'conflict' }
    if (columns.flag(row, 'external_id_taken')) return { outcome: 'taken', key: 'externalId' }
    if (columns.integer(row, 'unknown') > 0) return { outcome: 'memberUnknown' }
    const isChange = change.state !== undefined || columns.integer(row, 'changes') > 0
    return isChange ? undefined : { outcome: 'unchanged', record: read(row) }
  }

  const settle = (change: Change): Promise<GroupChangeOutcome> =>
    untilSettled(async () => {
      const written = await write(change)
      if (written === 'duplicate') return { outcome: 'taken', key: 'externalId' }
      const [row] = written ?? []
      return row === undefined ? explain(change) : { outcome: 'swapped', record: read(row) }
    })

  return (change) => oneAtATime(change.groupId, () => settle(change))
}

/** The parameters of the statements about members. */
function memberValues(
  change: MemberChange | undefined,
  { encodeSearchable }: SqlEngine,
): Readonly<Record<'joining' | 'leaving', SqlValue>> {
  const { joining, leaving } = memberLists(change)
  return { joining: encodeSearchable(joining), leaving: encodeSearchable(leaving) }
}

/** The members that a change adds and removes. A member in both lists of a delta is added. */
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
