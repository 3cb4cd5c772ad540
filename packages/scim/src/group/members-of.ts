import type { GroupMember, GroupRecord, Storage } from '@mintmark/storage-interface'

/** Everybody in one group. For an answer there is `loadMembers`, which may read nothing. */
export async function membersOf(
  { providerId, groupId }: GroupRecord,
  { storage }: { readonly storage: Storage },
): Promise<readonly GroupMember[]> {
  const members = await storage.groups.membersOf(providerId, [groupId])
  return members.get(groupId) ?? []
}
