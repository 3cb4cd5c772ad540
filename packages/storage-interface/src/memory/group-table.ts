import type { GroupRecord, MemberChange } from '../group.ts'
import type { GroupId, JsonObject, EpochSeconds } from '../values.ts'
import { type IndexedRow, type ProviderIndex, createProviderIndex, reindex, textsOf } from './provider-index.ts'
import { frozenCopy } from './rows.ts'

/** A group without the data that is read separately. */
export interface StoredGroup {
  readonly record: GroupRecord
  readonly comparable: JsonObject
}

/** Groups, and both sides of each membership. */
export interface GroupTable {
  readonly byId: Map<GroupId, StoredGroup>
  readonly byProvider: ProviderIndex<GroupId>
  readonly members: Map<GroupId, Set<string>>
  readonly memberships: Map<string, Set<GroupId>>
}

export const createGroupTable = (): GroupTable => ({
  byId: new Map(),
  byProvider: createProviderIndex(),
  members: new Map(),
  memberships: new Map(),
})

/** The members of a group, removed or not. */
export const memberIdsOf = (groups: GroupTable, groupId: GroupId): ReadonlySet<string> =>
  groups.members.get(groupId) ?? new Set()

/** The groups that a user or group is a direct member of. */
export const groupsOf = (groups: GroupTable, memberId: string): ReadonlySet<GroupId> =>
  groups.memberships.get(memberId) ?? new Set()

/** Stores a group and does not change its members. @returns it as it is stored. */
export function writeGroup(groups: GroupTable, group: StoredGroup): GroupRecord {
  const stored = frozenCopy(group)
  const { groupId } = stored.record
  reindex(groups.byProvider, { from: indexedRow(groups.byId.get(groupId)), to: indexedRow(stored) })
  groups.byId.set(groupId, stored)
  return stored.record
}

export function join(groups: GroupTable, groupId: GroupId, memberId: string): void {
  groups.members.set(groupId, (groups.members.get(groupId) ?? new Set<string>()).add(memberId))
  groups.memberships.set(memberId, (groups.memberships.get(memberId) ?? new Set<GroupId>()).add(groupId))
}

export function leave(groups: GroupTable, groupId: GroupId, memberId: string): void {
  groups.members.get(groupId)?.delete(memberId)
  groups.memberships.get(memberId)?.delete(groupId)
}

/** Removes a group, its members and its memberships in other groups. */
export function dropGroup(groups: GroupTable, groupId: GroupId, now: EpochSeconds): void {
  for (const memberId of memberIdsOf(groups, groupId)) groups.memberships.get(memberId)?.delete(groupId)
  groups.members.delete(groupId)
  reindex(groups.byProvider, { from: indexedRow(groups.byId.get(groupId)), to: undefined })
  groups.byId.delete(groupId)
  endMemberships(groups, groupId, now)
}

/** Removes a member from every group; each of these groups changes. */
export function endMemberships(groups: GroupTable, memberId: string, now: EpochSeconds): void {
  for (const groupId of groupsOf(groups, memberId)) {
    groups.members.get(groupId)?.delete(memberId)
    const group = groups.byId.get(groupId)
    if (group !== undefined) writeGroup(groups, { ...group, record: nextVersion(group.record, now) })
  }
  groups.memberships.delete(memberId)
}

/** The effects that every change has on a group. */
export const nextVersion = (record: GroupRecord, now: EpochSeconds): GroupRecord => ({
  ...record,
  updatedAt: now,
  version: record.version + 1,
})

function indexedRow(group: StoredGroup | undefined): IndexedRow<GroupId> | undefined {
  if (group === undefined) return undefined
  const { groupId: id, providerId, externalId, createdAt } = group.record
  const texts = {
    externalId: externalId === undefined ? [] : [externalId],
    displayName: textsOf(group.comparable, 'displayName'),
  }
  return { providerId, age: { id, createdAt }, texts }
}

/** The members to add and to remove, each once, without those whose membership does not change. */
export function memberDelta(
  current: ReadonlySet<string>,
  change: MemberChange | undefined,
): { readonly joining: readonly string[]; readonly leaving: readonly string[] } {
  if (change === undefined) return { joining: [], leaving: [] }
  const added = new Set(change.kind === 'delta' ? change.add : change.memberIds)
  const removed = change.kind === 'delta' ? new Set(change.remove) : current
  return {
    joining: [...added].filter((id) => !current.has(id)),
    leaving: [...removed].filter((id) => current.has(id) && !added.has(id)),
  }
}
