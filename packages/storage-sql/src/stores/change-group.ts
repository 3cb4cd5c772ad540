import { untilSettled, type GroupChangeOutcome, type GroupStore, type MemberChange } from '@mintmark/storage-interface'
import { createColumnReader } from '../columns.ts'
import type { Database } from '../database.ts'
import type { SqlEngine, SqlRow, SqlStep, SqlValue } from '../dialect.ts'
import { groupReader, groupStateRow } from '../rows/group-row.ts'
import { UniqueViolationError } from '../unique-violation.ts'
import { versionRange } from '../version-range.ts'
import type { groupStatements } from './group-statements.ts'

type Change = Parameters<GroupStore['change']>[0]

/** Changes of groups and their members: what happens is one transaction, and why nothing happens is one read. */
export function createGroupChange(
  { engine, run, step, transact, inLine }: Database,
  statements: ReturnType<typeof groupStatements>,
): GroupStore['change'] {
  const columns = createColumnReader(engine)
  const read = groupReader(columns)

  const changeValues = ({ providerId, groupId, version, state, members, now }: Change) => ({
    ...(state === undefined ? noState : groupStateRow(state, engine)),
    ...memberValues(members, engine),
    ...versionRange(version),
    provider_id: providerId,
    group_id: groupId,
    has_state: state === undefined ? 0 : 1,
    now,
  })

  /** The lock comes first: what the next statements see is then what the group is until the end. */
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
      // Without members it is one row, and one statement.
      const { members, state } = change
      return members === undefined && state !== undefined
        ? await run(statements.write, changeValues(change))
        : await transact(stepsOf(change))
    } catch (error) {
      if (error instanceof UniqueViolationError) return 'duplicate'
      throw error
    }
  }

  /** Why nothing was written. @returns `undefined` when what was seen does not explain it. */
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

  return (change) => inLine(change.groupId, () => settle(change))
}

/** What the statements about members are bound to. */
export function memberValues(
  change: MemberChange | undefined,
  { encodeSearchable }: SqlEngine,
): Readonly<Record<'joining' | 'leaving', SqlValue>> {
  const { joining, leaving } = memberLists(change)
  return { joining: encodeSearchable(joining), leaving: encodeSearchable(leaving) }
}

/** Whom a change wants in the group, and out of it. Who is in both lists of a delta is added. */
function memberLists(change: MemberChange | undefined): {
  readonly joining: readonly string[]
  readonly leaving: readonly string[]
} {
  if (change === undefined) return { joining: [], leaving: [] }
  if (change.kind === 'replace') return { joining: change.memberIds, leaving: [] }
  const added = new Set(change.add)
  return { joining: change.add, leaving: change.remove.filter((id) => !added.has(id)) }
}

/** Stands for a state in statements that do not set it. */
const noState = {
  external_id: null,
  external_id_key: null,
  display_name: null,
  display_name_key: null,
  resource: null,
  comparable: null,
}
