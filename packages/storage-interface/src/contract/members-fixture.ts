import type { GroupStore, MemberChange } from '../group.ts'
import type { ScimStorage } from '../storage.ts'
import { aGroup } from './records/a-group.ts'
import { nowPlus } from './records/moments.ts'
import { aProvisionedUser } from './records/a-provisioned-user.ts'

/** The group that laws about members are about. */
export const membersFixture = aGroup('staff')

/** Accounts `user-a` to `user-e`, and the group with some of them. */
export async function seedMembers(storage: ScimStorage, members: readonly string[]): Promise<void> {
  for (const label of 'abcde') await storage.provisionedUsers.insert(aProvisionedUser(label))
  await storage.groups.insert(aGroup('staff', { memberIds: members.map((label) => `user-${label}`) }))
}

export const delta = (add: readonly string[], remove: readonly string[]): MemberChange => ({
  kind: 'delta',
  add,
  remove,
})

type GroupChange = Parameters<GroupStore['change']>[0]

/** A change of the group a second later, whatever its version. */
export const change = (members: MemberChange | undefined): GroupChange => ({
  providerId: membersFixture.providerId,
  groupId: membersFixture.groupId,
  version: undefined,
  state: undefined,
  members,
  now: nowPlus(1),
})

/** Who is in the group, in the order of identifiers. */
export async function staffMembers(storage: ScimStorage): Promise<readonly string[]> {
  const members = await storage.groups.membersOf(membersFixture.providerId, [membersFixture.groupId])
  return (members.get(membersFixture.groupId) ?? []).map(({ memberId }) => memberId)
}
