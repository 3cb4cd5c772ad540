import { groupId, providerId, userId, type GroupRecord, type AdminStorage } from '@mintmark/storage-interface'
import { aGroup, aGroupState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'

// The contract's records: of all that a group can be, only its name and its members matter here.
const { createdAt: now } = aGroup('staff')
const provider = providerId('provider-1')
const staff = groupId('group-staff')
const teams = ['even', 'odd'].map((team) => Array.from({ length: 20 }, (_, index) => userId(`user-${team}-${index}`)))

/** A group called by its version, whose members are those of an even or an odd one. */
export async function prepareRounds(storage: AdminStorage): Promise<void> {
  for (const person of teams.flat()) {
    await storage.provisionedUsers.insert(aProvisionedUser(person.slice('user-'.length)))
  }
  await storage.groups.insert(aGroup('staff', { state: aGroupState('1', { displayName: '1' }), memberIds: teamOf(1) }))
}

/** The group gets another name and other members; another group comes, is taken in, and goes. */
export async function writeRound(storage: AdminStorage): Promise<void> {
  const found = await storage.groups.find(provider, staff)
  const version = (found?.version ?? 0) + 1
  const state = aGroupState('1', { displayName: `${version}` })
  const members = { kind: 'replace', memberIds: teamOf(version) } as const
  await storage.groups.change({ providerId: provider, groupId: staff, version: version - 1, state, members, now })

  await storage.groups.insert(aGroup('passing', { memberIds: [...teamOf(version), staff] }))
  await storage.groups.remove({ providerId: provider, groupId: groupId('group-passing'), version: undefined, now })
}

/** What is there in part. */
export async function halvesOf(storage: AdminStorage): Promise<readonly string[]> {
  const list = () =>
    storage.groups.list({
      providerId: provider,
      filter: undefined,
      sort: undefined,
      page: { kind: 'index', offset: 0, limit: 10 },
    })
  const listed = await list()
  const members = await storage.groups.membersOf(provider, [staff, groupId('group-passing')])
  // The database may still be at what a killed process has asked for: both answers are to be of one moment.
  if (JSON.stringify(await list()) !== JSON.stringify(listed)) return halvesOf(storage)

  const groups: readonly GroupRecord[] = listed.outcome === 'listed' ? listed.records : []
  const idsIn = (id: string): string =>
    (members.get(groupId(id)) ?? [])
      .map(({ memberId }) => memberId)
      .toSorted()
      .join(' ')
  const record = groups.find((group) => group.groupId === staff)
  const isPassing = groups.some((group) => group.groupId === 'group-passing')

  return [
    ...unless(record?.displayName === `${record?.version}`, 'a name of another version'),
    ...unless(
      idsIn(staff) ===
        teamOf(record?.version ?? 0)
          .toSorted()
          .join(' '),
      'members of another version',
    ),
    ...unless(
      isPassing === (idsIn('group-passing') !== ''),
      'a group without its members, or members without their group',
    ),
    ...unless(listed.outcome === 'listed' && listed.total === groups.length, 'a total that nobody counts'),
  ]
}

const teamOf = (version: number): readonly string[] => teams[version % 2] ?? []

const unless = (holds: boolean, violation: string): readonly string[] => (holds ? [] : [violation])
