import type { GroupMember, GroupRecord, GroupState, GroupStore, NewGroup } from '../group.ts'
import {
  groupId as asGroupId,
  userId as asUserId,
  type GroupId,
  type ProviderId,
  type JsonObject,
  utf8Length,
} from '../values.ts'
import { knownMembers } from '../filter/find-candidates.ts'
import { compareText } from '../filter/matches-filter.ts'
import {
  type StoredGroup,
  removeGroup,
  groupsOf,
  addMember,
  removeMember,
  memberDelta,
  memberIdsOf,
  nextVersion,
  writeGroup,
} from './group-table.ts'
import { listPage, type ListedRow, type Listing } from './list-page.ts'
import type { SchedulerHook } from './rows.ts'
import { findHolder, rowsByAge, findByText } from './provider-index.ts'
import { type UserTables, presentRow } from './users.ts'

export function createMemoryGroups(tables: UserTables, scheduler: SchedulerHook): GroupStore {
  const { groups } = tables

  return {
    async insert(group) {
      await scheduler()
      const { providerId, groupId, state, memberIds, createdAt } = group
      if (groups.byId.has(groupId)) return { outcome: 'taken', key: 'id' }
      if (isTaken(tables, group)) return { outcome: 'taken', key: 'externalId' }
      const unknown = memberIds.find((id) => !canBeMember(tables, group, id))
      if (unknown !== undefined) return { outcome: 'memberUnknown', memberId: unknown }

      const record = writeGroup(
        groups,
        storedGroup({ providerId, groupId, createdAt, updatedAt: createdAt, version: 1 }, state),
      )
      for (const memberId of memberIds) addMember(groups, { groupId, memberId }, createdAt)
      return { outcome: 'inserted', record }
    },

    async find(providerId, groupId) {
      await scheduler()
      return findGroup(tables, providerId, groupId)?.record
    },

    async findByExternalId(providerId, externalId) {
      await scheduler()
      const groupId = findHolder(groups.byProvider, providerId, ['externalId', externalId])
      return groupId === undefined ? undefined : groups.byId.get(groupId)?.record
    },

    async membersOf(providerId, groupIds, { limit = Infinity } = {}) {
      await scheduler()
      const loaded = new Map<GroupId, readonly GroupMember[]>()
      let count = 0
      for (const groupId of groupIds) {
        const members = membersOfGroup(tables, findGroup(tables, providerId, groupId))
        count += members.length
        if (loaded.size > 0 && count > limit) break
        loaded.set(groupId, members)
      }
      return loaded
    },

    async countMembers(providerId, groupIds, atMost) {
      await scheduler()
      const own = groupIds.filter((groupId) => findGroup(tables, providerId, groupId) !== undefined)
      const count = own.reduce((sum, groupId) => sum + memberIdsOf(groups, groupId).size, 0)
      return Math.min(atMost, count)
    },

    async countMemberships({ memberIds, excludedGroup, atMost }) {
      await scheduler()
      const counts = memberIds.map(
        (id) => [...groupsOf(groups, id)].filter((groupId) => groupId !== excludedGroup).length,
      )
      return counts.reduce((most, count) => Math.max(most, Math.min(atMost, count)), 0)
    },

    async change({ providerId, groupId, version, state, members, now }) {
      await scheduler()
      const current = findGroup(tables, providerId, groupId)
      if (current === undefined) return { outcome: 'absent' }
      const { record } = current
      if (version !== undefined && record.version !== version) return { outcome: 'conflict' }
      if (state !== undefined && isTaken(tables, { providerId, groupId, state }))
        return { outcome: 'taken', key: 'externalId' }
      const { joining, leaving } = memberDelta(memberIdsOf(groups, groupId), members)
      const unknown = joining.find((id) => !canBeMember(tables, record, id))
      if (unknown !== undefined) return { outcome: 'memberUnknown', memberId: unknown }
      if (state === undefined && joining.length === 0 && leaving.length === 0) return { outcome: 'unchanged', record }

      for (const memberId of joining) addMember(groups, { groupId, memberId }, now)
      for (const memberId of leaving) removeMember(groups, { groupId, memberId }, now)
      const next = nextVersion(record, now)
      const stored = state === undefined ? { ...current, record: next } : storedGroup(next, state)
      return { outcome: 'swapped', record: writeGroup(groups, stored) }
    },

    async remove({ providerId, groupId, version, now }) {
      await scheduler()
      const current = findGroup(tables, providerId, groupId)
      if (current === undefined) return { outcome: 'absent' }
      if (version !== undefined && current.record.version !== version) return { outcome: 'conflict' }

      removeGroup(groups, groupId, now)
      return { outcome: 'removed' }
    },

    async list(query) {
      await scheduler()
      return listPage(groupsOfProvider(tables, query.providerId), query)
    },
  }
}

const storedGroup = (
  { groupId, providerId, createdAt, updatedAt, version }: Omit<GroupRecord, 'externalId' | 'displayName' | 'resource'>,
  { externalId, displayName, resource, comparable }: GroupState,
): StoredGroup => ({
  record: { groupId, providerId, externalId, displayName, resource, createdAt, updatedAt, version },
  comparable,
})

/** Whether an identifier may be a member of a group: it must be a user or another group of the provider. */
function canBeMember(
  tables: UserTables,
  group: Pick<GroupRecord, 'providerId' | 'groupId'>,
  memberId: string,
): boolean {
  return memberId !== group.groupId && memberType(tables, group.providerId, memberId) !== undefined
}

function memberType(
  { users, groups }: UserTables,
  providerId: ProviderId,
  memberId: string,
): GroupMember['type'] | undefined {
  if (presentRow(users, asUserId(memberId))?.provisioning?.providerId === providerId) return 'User'
  return groups.byId.get(asGroupId(memberId))?.record.providerId === providerId ? 'Group' : undefined
}

function membersOfGroup(tables: UserTables, group: StoredGroup | undefined): readonly GroupMember[] {
  if (group === undefined) return []
  return [...memberIdsOf(tables.groups, group.record.groupId)].toSorted(compareText).flatMap((memberId) => {
    const type = memberType(tables, group.record.providerId, memberId)
    return type === undefined ? [] : [{ memberId, type }]
  })
}

function findGroup({ groups }: UserTables, providerId: ProviderId, groupId: GroupId): StoredGroup | undefined {
  const group = groups.byId.get(groupId)
  return group?.record.providerId === providerId ? group : undefined
}

function isTaken(
  { groups }: UserTables,
  { providerId, groupId, state }: Pick<NewGroup, 'providerId' | 'groupId' | 'state'>,
): boolean {
  if (state.externalId === undefined) return false
  const holder = findHolder(groups.byProvider, providerId, ['externalId', state.externalId])
  return holder !== undefined && holder !== groupId
}

function groupsOfProvider(tables: UserTables, providerId: ProviderId): Listing<GroupId, GroupRecord> {
  const { byProvider } = tables.groups
  return {
    byAge: rowsByAge(byProvider, providerId),
    lookups: new Map([
      ['id', { rows: 1, find: (id) => [asGroupId(id)] }],
      ['externalId', { rows: 1, find: (text) => findByText(byProvider, providerId, ['externalId', text]) }],
      ['displayName', { rows: 10, find: (text) => findByText(byProvider, providerId, ['displayName', text]) }],
      ['members.value', { rows: 100, find: (id) => groupsOf(tables.groups, id) }],
    ]),
    row: (groupId) => {
      const group = findGroup(tables, providerId, groupId)
      return group && listedRow(tables, group)
    },
    sizeOf: ({ resource }) => utf8Length(JSON.stringify(resource)),
  }
}

function listedRow(tables: UserTables, group: StoredGroup): ListedRow<GroupId, GroupRecord> {
  const { record, comparable } = group
  return {
    id: record.groupId,
    createdAt: record.createdAt,
    record: () => record,
    comparable: (): JsonObject => ({
      ...comparable,
      ...knownMembers(record.groupId, record),
      // There may be tens of thousands, so they are read only when a filter asks for them.
      get members() {
        return membersOfGroup(tables, group).map(({ memberId, type }) => ({
          value: memberId,
          type: type.toLowerCase(),
        }))
      },
    }),
  }
}
