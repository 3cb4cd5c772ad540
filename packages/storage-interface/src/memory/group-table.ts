import type { GroupRecord, MemberChange } from '../group.ts'
import { groupId as asGroupId, userId, type GroupId, type JsonObject, type EpochSeconds } from '../values.ts'
import { type ChangeTable, writeChange } from './changes.ts'
import { type IndexedRow, type ProviderIndex, createProviderIndex, reindex, textsOf } from './provider-index.ts'
import { frozenCopy } from './rows.ts'

/** A group without its members, which are read separately. */
export interface StoredGroup {
  readonly record: GroupRecord
  readonly comparable: JsonObject
}

/** Groups, and their memberships indexed by group and by member. */
export interface GroupTable {
  readonly byId: Map<GroupId, StoredGroup>
  readonly byProvider: ProviderIndex<GroupId>
  readonly changes: ChangeTable
  readonly members: Map<GroupId, Set<string>>
  readonly memberships: Map<string, Set<GroupId>>
}

export const createGroupTable = (changes: ChangeTable): GroupTable => ({
  changes,
  byId: new Map(),
  byProvider: createProviderIndex(),
  members: new Map(),
  memberships: new Map(),
})

/** Returns the identifiers of the members of a group. */
export const memberIdsOf = (groups: GroupTable, groupId: GroupId): ReadonlySet<string> =>
  groups.members.get(groupId) ?? new Set()

/** Returns the groups that a user or group is a direct member of. */
export const groupsOf = (groups: GroupTable, memberId: string): ReadonlySet<GroupId> =>
  groups.memberships.get(memberId) ?? new Set()

/** Stores a group and does not change its members. @returns the stored group. */
export function writeGroup(groups: GroupTable, group: StoredGroup): GroupRecord {
  const stored = frozenCopy(group)
  const { groupId } = stored.record
  const before = groups.byId.get(groupId)
  reindex(groups.byProvider, { from: indexedRow(before), to: indexedRow(stored) })
  groups.byId.set(groupId, stored)
  writeGroupChange(groups.changes, before?.record, stored.record)
  return stored.record
}

function writeGroupChange(changes: ChangeTable, before: GroupRecord | undefined, record: GroupRecord): void {
  const { groupId, updatedAt } = record
  if (before === undefined) return writeChange(changes, { type: 'group.created', groupId }, updatedAt)
  const members = ['displayName', 'externalId', 'resource'] as const
  const names = members.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(record[name]))
  if (names.length > 0) writeChange(changes, { type: 'group.changed', groupId, names }, updatedAt)
}

/** The membership of a user or a group in a group. */
interface Membership {
  readonly groupId: GroupId
  readonly memberId: string
}

/** Records that a user joined or left a group. Groups that are members of groups are not recorded. */
function writeMembershipChange(
  groups: GroupTable,
  { type, groupId, memberId }: Membership & { readonly type: 'membership.added' | 'membership.removed' },
  now: EpochSeconds,
): void {
  if (groups.byId.has(asGroupId(memberId))) return
  writeChange(groups.changes, { type, groupId, userId: userId(memberId) }, now)
}

export function addMember(groups: GroupTable, { groupId, memberId }: Membership, now: EpochSeconds): void {
  writeMembershipChange(groups, { type: 'membership.added', groupId, memberId }, now)
  groups.members.set(groupId, (groups.members.get(groupId) ?? new Set<string>()).add(memberId))
  groups.memberships.set(memberId, (groups.memberships.get(memberId) ?? new Set<GroupId>()).add(groupId))
}

export function removeMember(groups: GroupTable, { groupId, memberId }: Membership, now: EpochSeconds): void {
  writeMembershipChange(groups, { type: 'membership.removed', groupId, memberId }, now)
  groups.members.get(groupId)?.delete(memberId)
  groups.memberships.get(memberId)?.delete(groupId)
}

/** Removes a group, its members and its memberships in other groups. */
export function removeGroup(groups: GroupTable, groupId: GroupId, now: EpochSeconds): void {
  for (const memberId of memberIdsOf(groups, groupId)) removeMember(groups, { groupId, memberId }, now)
  groups.members.delete(groupId)
  removeFromGroups(groups, groupId, now)
  reindex(groups.byProvider, { from: indexedRow(groups.byId.get(groupId)), to: undefined })
  groups.byId.delete(groupId)
  writeChange(groups.changes, { type: 'group.removed', groupId }, now)
}

/** Removes a member from every group; each of these groups changes. */
export function removeFromGroups(groups: GroupTable, memberId: string, now: EpochSeconds): void {
  for (const groupId of groupsOf(groups, memberId)) {
    groups.members.get(groupId)?.delete(memberId)
    writeMembershipChange(groups, { type: 'membership.removed', groupId, memberId }, now)
    const group = groups.byId.get(groupId)
    if (group !== undefined) writeGroup(groups, { ...group, record: nextVersion(group.record, now) })
  }
  groups.memberships.delete(memberId)
}

/** Returns the record with the version and the time that every change of a group sets. */
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

/** Returns the members to add and to remove, without duplicates and without members that do not change. */
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
