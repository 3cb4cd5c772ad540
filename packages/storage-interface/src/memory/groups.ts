import type { GroupMember, GroupRecord, GroupState, GroupStore, MemberChange } from '../group.ts'
import { groupId as asGroupId, userId as asUserId, type GroupId, type ProviderId } from '../identifiers.ts'
import type { JsonValue } from '../json.ts'
import { compareText } from '../filter/compare-text.ts'
import { dropGroup, writeGroup, type StoredGroup } from './group-table.ts'
import { listPage, type ListedRow } from './list-page.ts'
import type { Pause } from './pause.ts'
import { presentRow, type UserTables } from './users.ts'

export function createMemoryGroups(tables: UserTables, pause: Pause): GroupStore {
  const { groups } = tables

  return {
    async insert({ providerId, groupId, state, memberIds, createdAt }) {
      await pause()
      if (groups.byId.has(groupId)) return { outcome: 'taken', key: 'id' }
      if (isTaken(tables, providerId, { state, groupId })) return { outcome: 'taken', key: 'externalId' }
      if (memberIds.some((id) => memberType(tables, providerId, id) === undefined)) return { outcome: 'memberUnknown' }

      const times = { createdAt, updatedAt: createdAt, version: 1 }
      const stored = storedGroup({ providerId, groupId, ...times }, state, memberIds)
      return { outcome: 'inserted', record: writeGroup(groups, stored) }
    },

    async find(providerId, groupId) {
      await pause()
      return ownGroup(tables, providerId, groupId)?.record
    },

    async findByExternalId(providerId, externalId) {
      await pause()
      return groupsIn(tables, providerId).find(({ record }) => record.externalId === externalId)?.record
    },

    async membersOf(providerId, groupIds) {
      await pause()
      return new Map(groupIds.map((groupId) => [groupId, membersIn(tables, ownGroup(tables, providerId, groupId))]))
    },

    async change({ providerId, groupId, version, state, members, now }) {
      await pause()
      const current = ownGroup(tables, providerId, groupId)
      if (current === undefined) return { outcome: 'absent' }
      const { record } = current
      if (version !== undefined && record.version !== version) return { outcome: 'conflict' }
      if (state !== undefined && isTaken(tables, providerId, { state, groupId })) return { outcome: 'taken', key: 'externalId' }
      const memberIds = changedMembers(current.memberIds, members)
      const joining = [...memberIds].filter((id) => !current.memberIds.has(id))
      if (joining.some((id) => memberType(tables, providerId, id) === undefined)) return { outcome: 'memberUnknown' }
      const isSame = joining.length === 0 && memberIds.size === current.memberIds.size
      if (isSame && state === undefined) return { outcome: 'unchanged', record }

      const next = state === undefined ? { ...current, memberIds } : storedGroup(record, state, memberIds)
      const written = writeGroup(groups, { ...next, record: { ...next.record, updatedAt: now, version: record.version + 1 } })
      return { outcome: 'swapped', record: written }
    },

    async remove({ providerId, groupId, version, now }) {
      await pause()
      const current = ownGroup(tables, providerId, groupId)
      if (current === undefined) return { outcome: 'absent' }
      if (version !== undefined && current.record.version !== version) return { outcome: 'conflict' }

      dropGroup(groups, groupId, now)
      return { outcome: 'removed' }
    },

    async list(query) {
      await pause()
      return listPage(groupsIn(tables, query.providerId).map((group) => listedRow(tables, group)), query)
    },
  }
}

const storedGroup = (
  { groupId, providerId, createdAt, updatedAt, version }: Pick<GroupRecord, 'groupId' | 'providerId' | 'createdAt' | 'updatedAt' | 'version'>,
  { externalId, displayName, resource, comparable }: GroupState,
  memberIds: Iterable<string>,
): StoredGroup => ({
  record: { groupId, providerId, externalId, displayName, resource, createdAt, updatedAt, version },
  comparable,
  memberIds: new Set(memberIds),
})

function changedMembers(current: ReadonlySet<string>, change: MemberChange | undefined): ReadonlySet<string> {
  if (change === undefined) return current
  if (change.kind === 'replace') return new Set(change.memberIds)
  const removed = new Set(change.remove)
  return new Set([...[...current].filter((id) => !removed.has(id)), ...change.add])
}

function memberType({ users, groups }: UserTables, providerId: ProviderId, memberId: string): GroupMember['type'] | undefined {
  if (presentRow(users, asUserId(memberId))?.provisioning?.providerId === providerId) return 'User'
  return groups.byId.get(asGroupId(memberId))?.record.providerId === providerId ? 'Group' : undefined
}

function membersIn(tables: UserTables, group: StoredGroup | undefined): readonly GroupMember[] {
  if (group === undefined) return []
  return [...group.memberIds].toSorted(compareText).flatMap((memberId) => {
    const type = memberType(tables, group.record.providerId, memberId)
    return type === undefined ? [] : [{ memberId, type }]
  })
}

function ownGroup({ groups }: UserTables, providerId: ProviderId, groupId: GroupId): StoredGroup | undefined {
  const group = groups.byId.get(groupId)
  return group?.record.providerId === providerId ? group : undefined
}

const groupsIn = ({ groups }: UserTables, providerId: ProviderId): readonly StoredGroup[] =>
  [...groups.byId.values()].filter(({ record }) => record.providerId === providerId)

const isTaken = (
  tables: UserTables,
  providerId: ProviderId,
  { state: { externalId }, groupId }: { readonly state: GroupState; readonly groupId: GroupId },
): boolean =>
  externalId !== undefined &&
  groupsIn(tables, providerId).some(({ record }) => record.externalId === externalId && record.groupId !== groupId)

function listedRow(tables: UserTables, group: StoredGroup): ListedRow<GroupRecord> {
  const { record, comparable } = group
  const known: Record<string, JsonValue> = {
    ...comparable,
    id: record.groupId,
    meta: { created: record.createdAt * 1000, lastModified: record.updatedAt * 1000 },
    members: membersIn(tables, group).map(({ memberId, type }) => ({ value: memberId, type: type.toLowerCase() })),
  }
  if (record.externalId !== undefined) known['externalId'] = record.externalId
  return { id: record.groupId, createdAt: record.createdAt, record, comparable: known }
}
