import { type AdminStorage, groupId, providerId, userId } from '@mintmark/storage-interface'
import type { GroupRecord } from '@mintmark/storage-interface/stores'
import { aGroup, aGroupState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'

import { violationUnless } from '../processes/violation-unless.ts'

// Uses a fixture of the storage contract. Only the group's name and members matter here.
const { createdAt: now } = aGroup('staff')
const provider = providerId('provider-1')
const staff = groupId('group-staff')
const teams = ['even', 'odd'].map((team) => Array.from({ length: 20 }, (_, index) => userId(`user-${team}-${index}`)))

/** Creates the users, and a group whose name is its version and whose members depend on whether the version is odd. */
export async function prepareRounds(storage: AdminStorage): Promise<void> {
  for (const user of teams.flat()) {
    await storage.provisionedUsers.insert(aProvisionedUser(user.slice('user-'.length)))
  }
  await storage.groups.insert(aGroup('staff', { state: aGroupState('1', { displayName: '1' }), memberIds: teamOf(1) }))
}

/**
 * Gives the group another name and other members. Then creates another group, which has the first group as a member,
 * and deletes it.
 */
export async function writeRound(storage: AdminStorage): Promise<void> {
  const found = await storage.groups.find(provider, staff)
  const version = (found?.version ?? 0) + 1
  const state = aGroupState('1', { displayName: `${version}` })
  const members = { kind: 'replace', memberIds: teamOf(version) } as const
  await storage.groups.change({ providerId: provider, groupId: staff, version: version - 1, state, members, now })

  await storage.groups.insert(aGroup('temporary', { memberIds: [...teamOf(version), staff] }))
  await storage.groups.remove({ providerId: provider, groupId: groupId('group-temporary'), version: undefined, now })
}

/** Returns the partial writes that are visible. */
export async function findPartialWrites(storage: AdminStorage): Promise<readonly string[]> {
  const list = () =>
    storage.groups.list({
      providerId: provider,
      filter: undefined,
      sort: undefined,
      page: { kind: 'index', offset: 0, limit: 10 },
    })
  const listed = await list()
  const members = await storage.groups.membersOf(provider, [staff, groupId('group-temporary')])
  // The database may still be processing a killed process's request, so both reads must come from one snapshot.
  if (JSON.stringify(await list()) !== JSON.stringify(listed)) return findPartialWrites(storage)

  const groups: readonly GroupRecord[] = listed.outcome === 'listed' ? listed.records : []
  const idsIn = (id: string): string =>
    (members.get(groupId(id)) ?? [])
      .map(({ memberId }) => memberId)
      .toSorted()
      .join(' ')
  const record = groups.find((group) => group.groupId === staff)
  const hasTemporaryGroup = groups.some((group) => group.groupId === 'group-temporary')

  return [
    ...violationUnless(record?.displayName === `${record?.version}`, 'a name of another version'),
    ...violationUnless(
      idsIn(staff) ===
        teamOf(record?.version ?? 0)
          .toSorted()
          .join(' '),
      'members of another version',
    ),
    ...violationUnless(
      hasTemporaryGroup === (idsIn('group-temporary') !== ''),
      'a group without its members, or members without their group',
    ),
    ...violationUnless(
      listed.outcome === 'listed' && listed.total === groups.length,
      'a total that differs from the number of groups',
    ),
  ]
}

const teamOf = (version: number): readonly string[] => teams[version % 2] ?? []
