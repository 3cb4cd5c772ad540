import {
  groupId as asGroupId,
  type GroupChangeOutcome,
  type GroupId,
  type GroupMember,
  type GroupStore,
  type MemberChange,
  type ProviderId,
  type ResolvedFilter,
} from '@mintmark/storage-interface'
import { createColumnReader } from '../columns.ts'
import type { Database } from '../database.ts'
import type { SqlRow, SqlStep } from '../dialect.ts'
import { plainEquality } from '../filter/plain-equality.ts'
import { indexKey } from '../index-key.ts'
import { createLister } from '../list/create-lister.ts'
import { listedGroups } from '../list/listed-groups.ts'
import { groupReader, groupStateRow } from '../rows/group-row.ts'
import { untilSettled } from '../second-look.ts'
import { UniqueViolation } from '../unique-violation.ts'
import { groupStatements } from './group-statements.ts'

type Change = Parameters<GroupStore['change']>[0]

export function createGroupStore(database: Database, { scanLimit }: { readonly scanLimit: number }): GroupStore {
  const { engine, run, step, transact } = database
  const statements = groupStatements(database)
  const columns = createColumnReader(engine)
  const read = groupReader(columns)

  const memberValues = (change: MemberChange | undefined) => {
    const { joining, leaving } = memberLists(change)
    return { joining: engine.encodeSearchable(joining), leaving: engine.encodeSearchable(leaving) }
  }

  const changeValues = ({ providerId, groupId, version, state, members, now }: Change) => ({
    ...(state === undefined ? noState : groupStateRow(state, engine)),
    ...memberValues(members),
    ...versions(version),
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
      step(change.state === undefined ? statements.touch : statements.write, values),
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
      if (error instanceof UniqueViolation) return 'duplicate'
      throw error
    }
  }

  /** Why nothing was written. @returns `undefined` when what was seen does not explain it. */
  async function explain(change: Change): Promise<GroupChangeOutcome | undefined> {
    const { inspect } = statements[change.members?.kind ?? 'delta']
    const [row] = await run(inspect, changeValues(change))
    if (row === undefined) return { outcome: 'absent' }
    if (change.version !== undefined && columns.integer(row, 'version') !== change.version) return { outcome: 'conflict' }
    if (columns.flag(row, 'external_id_taken')) return { outcome: 'taken', key: 'externalId' }
    if (columns.integer(row, 'unknown') > 0) return { outcome: 'memberUnknown' }
    const isChange = change.state !== undefined || columns.integer(row, 'changes') > 0
    return isChange ? undefined : { outcome: 'unchanged', record: read(row) }
  }

  function findOne(provider_id: ProviderId, filter: ResolvedFilter): Promise<readonly SqlRow[]> | undefined {
    const equal = plainEquality(filter)
    switch (equal?.name) {
      case 'id':
        return run(statements.find, { provider_id, group_id: equal.value })
      case 'externalId':
        return run(statements.findByExternalId, { provider_id, external_id_key: indexKey(equal.value) })
      default:
        return undefined
    }
  }

  return {
    list: createLister(database, { kind: listedGroups, read, findOne }, { scanLimit }),

    async insert({ providerId, groupId, state, memberIds, createdAt }) {
      const values = {
        ...groupStateRow(state, engine),
        ...memberValues({ kind: 'replace', memberIds }),
        provider_id: providerId,
        group_id: groupId,
        has_state: 1,
        created_at: createdAt,
      }
      const steps = [
        step(statements.insert, values, 'guard'),
        step(statements.delta.plan, values, 'guard'),
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

    async membersOf(providerId, groupIds) {
      const members = new Map<GroupId, GroupMember[]>(groupIds.map((groupId) => [groupId, []]))
      const rows = await run(statements.membersOf, { provider_id: providerId, groups: engine.encodeSearchable(groupIds) })
      for (const row of rows) {
        const member = { memberId: columns.text(row, 'member_id'), type: columns.text(row, 'member_type') as GroupMember['type'] }
        members.get(asGroupId(columns.text(row, 'group_id')))?.push(member)
      }
      return members
    },

    async change(change) {
      return untilSettled(async () => {
        const written = await write(change)
        if (written === 'duplicate') return { outcome: 'taken', key: 'externalId' }
        const [row] = written ?? []
        return row === undefined ? explain(change) : { outcome: 'swapped', record: read(row) }
      })
    },

    async remove({ providerId, groupId, version, now }) {
      const values = { provider_id: providerId, group_id: groupId, ...versions(version), now }
      const steps = [
        step(statements.remove, values, 'guard'),
        step(statements.touchParents, values),
        step(statements.endMemberships, values),
      ]
      return untilSettled(async () => {
        if ((await transact(steps)) !== undefined) return { outcome: 'removed' }

        const [current] = await run(statements.find, values)
        if (current === undefined) return { outcome: 'absent' }
        const isAsExpected = version === undefined || columns.integer(current, 'version') === version
        return isAsExpected ? undefined : { outcome: 'conflict' }
      })
    },
  }
}

/** Whom a change wants in the group, and out of it. Who is in both lists of a delta is added. */
function memberLists(change: MemberChange | undefined): { readonly joining: readonly string[]; readonly leaving: readonly string[] } {
  if (change === undefined) return { joining: [], leaving: [] }
  if (change.kind === 'replace') return { joining: change.memberIds, leaving: [] }
  const added = new Set(change.add)
  return { joining: change.add, leaving: change.remove.filter((id) => !added.has(id)) }
}

/** Any version lies between these two. */
const versions = (version: number | undefined) => ({
  least_version: version ?? 0,
  greatest_version: version ?? Number.MAX_SAFE_INTEGER,
})

/** Stands for a state in statements that do not set it. */
const noState = {
  external_id: null,
  external_id_key: null,
  display_name: null,
  display_name_key: null,
  resource: null,
  comparable: null,
}
