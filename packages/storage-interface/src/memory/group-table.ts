import type { GroupRecord } from '../group.ts'
import type { GroupId } from '../identifiers.ts'
import type { JsonObject } from '../json.ts'
import type { EpochSeconds } from '../time.ts'
import { frozenCopy } from './frozen-copy.ts'

/** A group with what is read apart from it. */
export interface StoredGroup {
  readonly record: GroupRecord
  readonly comparable: JsonObject
  readonly memberIds: ReadonlySet<string>
}

/** Groups, and of each member the groups that it is in. */
export interface GroupTable {
  readonly byId: Map<GroupId, StoredGroup>
  readonly byMember: Map<string, ReadonlySet<GroupId>>
}

export const createGroupTable = (): GroupTable => ({ byId: new Map(), byMember: new Map() })

/** Stores a group, and keeps both sides of its memberships the same. @returns it as it is stored. */
export function writeGroup(groups: GroupTable, group: StoredGroup): GroupRecord {
  const { groupId } = group.record
  const before = groups.byId.get(groupId)?.memberIds ?? new Set()
  for (const memberId of before) if (!group.memberIds.has(memberId)) unlink(groups, memberId, groupId)
  for (const memberId of group.memberIds) {
    if (!before.has(memberId)) groups.byMember.set(memberId, new Set([...groupsOf(groups, memberId), groupId]))
  }
  const record = frozenCopy(group.record)
  groups.byId.set(groupId, { record, comparable: frozenCopy(group.comparable), memberIds: new Set(group.memberIds) })
  return record
}

/** Takes a group away, from its members and from the groups that it is in. */
export function dropGroup(groups: GroupTable, groupId: GroupId, now: EpochSeconds): void {
  for (const memberId of groups.byId.get(groupId)?.memberIds ?? []) unlink(groups, memberId, groupId)
  groups.byId.delete(groupId)
  endMemberships(groups, groupId, now)
}

/** Takes a member out of every group: each of them changes. */
export function endMemberships(groups: GroupTable, memberId: string, now: EpochSeconds): void {
  for (const groupId of groupsOf(groups, memberId)) {
    const group = groups.byId.get(groupId)
    if (group === undefined) continue
    const memberIds = new Set([...group.memberIds].filter((id) => id !== memberId))
    writeGroup(groups, { ...group, memberIds, record: { ...group.record, updatedAt: now, version: group.record.version + 1 } })
  }
}

/** The groups that somebody is a direct member of. */
export const groupsOf = (groups: GroupTable, memberId: string): ReadonlySet<GroupId> => groups.byMember.get(memberId) ?? new Set()

function unlink(groups: GroupTable, memberId: string, groupId: GroupId): void {
  const left = new Set([...groupsOf(groups, memberId)].filter((id) => id !== groupId))
  if (left.size === 0) groups.byMember.delete(memberId)
  else groups.byMember.set(memberId, left)
}
