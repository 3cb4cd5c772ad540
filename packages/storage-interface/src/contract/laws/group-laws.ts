// One file, because these are all laws about groups apart from changes of members.
import type { GroupMember } from '../../group.ts'
import { groupId, userId } from '../../values.ts'
import type { ScimStorage } from '../../storage.ts'
import { nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import {
  aGroup,
  aGroupState,
  aProvisionedUser,
  asListed,
  everything,
  freshUser,
  freshGroup,
} from '../provisioning-fixtures.ts'

/** Groups: creation, removal and unique keys. */
export const groupLaws: readonly StorageLaw<ScimStorage>[] = [
  law('groups: a new group has version 1 and the given members', async ({ storage, same }) => {
    for (const user of [ada, grace]) await storage.provisionedUsers.insert(user)
    const staff = aGroup('staff', { memberIds: [grace.userId, ada.userId, grace.userId] })

    same(await storage.groups.insert(staff), { outcome: 'inserted', record: freshGroup(staff) }, 'the insertion')

    same(await storage.groups.find(staff.providerId, staff.groupId), freshGroup(staff), 'the group as read')
    same(await storage.groups.find(staff.providerId, groupId('unknown')), undefined, 'one that never existed')
    const members = await storage.groups.membersOf(staff.providerId, [staff.groupId])
    same([...members], [[staff.groupId, userMembers(ada.userId, grace.userId)]], 'its members, each once')
  }),

  law('groups: identifiers and externalIds are unique', async ({ storage, same }) => {
    const staff = aGroup('staff')
    await storage.groups.insert(staff)
    await storage.groups.insert(aGroup('other'))

    same(await storage.groups.insert(staff), { outcome: 'taken', key: 'id' }, 'the same group again')
    const twin = aGroup('twin', { state: staff.state })
    same(await storage.groups.insert(twin), { outcome: 'taken', key: 'externalId' }, 'an insertion with its externalId')
    same(await storage.groups.find(twin.providerId, twin.groupId), undefined, 'what was stored')
    const change = { ...aGroup('other'), version: undefined, members: undefined, now: nowPlus(1) }
    const state = aGroupState('other', { externalId: 'external-staff' })
    same(await storage.groups.change({ ...change, state }), { outcome: 'taken', key: 'externalId' }, 'a change to it')
    same(await storage.groups.find(change.providerId, change.groupId), freshGroup(aGroup('other')), 'the other group')
    for (const label of ['one', 'two']) {
      const nameless = aGroup(label, { state: aGroupState(label, { externalId: undefined }) })
      same((await storage.groups.insert(nameless)).outcome, 'inserted', 'a group without an externalId')
    }
  }),

  law('groups: of 8 concurrent insertions with the same externalId, one succeeds', async ({ server, same }) => {
    const { state } = aGroup('staff')

    const inserts = await atOnce(8, (index) => server(index).groups.insert(aGroup(`${index}`, { state })))

    same(tally(inserts), { inserted: 1, taken: 7 }, 'outcomes')
  }),

  law('groups: a group is found by its current externalId', async ({ storage, same }) => {
    const staff = aGroup('staff')
    await storage.groups.insert(staff)
    const find = (externalId: string) => storage.groups.findByExternalId(staff.providerId, externalId)
    same(await find('external-staff'), freshGroup(staff), 'the first externalId')

    const change = { ...staff, version: undefined, members: undefined, now: nowPlus(1) }
    const renamed = await storage.groups.change({ ...change, state: aGroupState('staff', { externalId: 'new' }) })
    same(await find('external-staff'), undefined, 'the first externalId after a change')
    same(await find('new'), renamed.outcome === 'swapped' && renamed.record, 'the new externalId')
    await storage.groups.change({ ...change, state: aGroupState('staff', { externalId: undefined }) })
    same(await find('new'), undefined, 'the new externalId after it was cleared')
    same(await find(''), undefined, 'an empty externalId')
    same(
      (await storage.groups.insert(aGroup('heir', { state: staff.state }))).outcome,
      'inserted',
      'another with the first externalId',
    )
  }),

  law('groups: members are listed for each requested group, in the order of identifiers', async ({ storage, same }) => {
    const ids = ['b', 'B', 'a', 'é', 'a-2', '10'].map((id) => userId(id))
    for (const id of ids) await storage.provisionedUsers.insert(aProvisionedUser(id, { userId: id }))
    const [many, nested, empty] = [
      aGroup('m', { memberIds: ids }),
      aGroup('n', { memberIds: ['group-m', 'b'] }),
      aGroup('e'),
    ]
    for (const group of [many, nested, empty]) await storage.groups.insert(group)

    const requested = [empty.groupId, nested.groupId, groupId('unknown'), many.groupId]
    const members = await storage.groups.membersOf(many.providerId, requested)

    same(members.get(many.groupId), userMembers('10', 'B', 'a', 'a-2', 'b', 'é'), 'users')
    const both = [...userMembers('b'), { memberId: 'group-m', type: 'Group' }]
    same(members.get(nested.groupId), both, 'a user and a group')
    same(members.get(empty.groupId), [], 'a group without members')
    same(members.get(groupId('unknown')), [], 'an unknown group')
    same(members.size, requested.length, 'the number of groups in the result')
    same([...(await storage.groups.membersOf(many.providerId, []))], [], 'no groups')
  }),

  law('groups: counting members or memberships stops at a limit', async ({ storage, same }) => {
    for (const id of ['a', 'b', 'c']) await storage.provisionedUsers.insert(aProvisionedUser(id))
    await storage.groups.insert(aGroup('three', { memberIds: ['user-a', 'user-b', 'user-c'] }))
    await storage.groups.insert(aGroup('two', { memberIds: ['user-a', 'group-three'] }))
    await storage.groups.insert(aGroup('none'))
    const { providerId, groupId: excluded } = aGroup('two')
    const members = (labels: readonly string[], atMost: number) =>
      storage.groups.countMembers(
        providerId,
        labels.map((label) => groupId(`group-${label}`)),
        atMost,
      )
    const memberships = (memberIds: readonly string[], atMost: number, group = groupId('group-none')) =>
      storage.groups.countMemberships({ providerId, memberIds, excludedGroup: group, atMost })

    same(await members(['three', 'two', 'none', 'unknown'], 9), 5, 'the members of all groups')
    same(await members(['three'], 2), 2, 'up to the limit')
    same(await members(['none'], 9), 0, 'of an empty group')
    same(await members([], 9), 0, 'of no group')
    same(await memberships(['user-c', 'user-a', 'unknown'], 9), 2, 'the groups of the user who is in the most')
    same(await memberships(['user-a', 'user-b'], 1), 1, 'up to the limit')
    same(await memberships(['user-a'], 9, excluded), 1, 'without the group itself')
    same(await memberships(['group-three'], 9), 1, 'the groups of a group')
    same(await memberships([], 9), 0, 'of no members')
    const many = Array.from({ length: 600 }, (_, index) => `unknown-${index}`)
    same(await memberships([...many, 'user-a'], 9), 2, 'among many')
  }),

  law(
    'groups: members are listed for as many whole groups as the limit allows, in the requested order, and for at least one',
    async ({ storage, same }) => {
      for (const id of ['a', 'b', 'c']) await storage.provisionedUsers.insert(aProvisionedUser(id))
      const [ada, grace, edsger] = ['user-a', 'user-b', 'user-c'] as const
      await storage.groups.insert(aGroup('z-one', { memberIds: [ada] }))
      await storage.groups.insert(aGroup('a-three', { memberIds: [ada, grace, edsger] }))
      await storage.groups.insert(aGroup('m-none'))
      const { providerId } = aGroup('z-one')
      const received = async (
        labels: readonly string[],
        limit: number,
      ): Promise<readonly (readonly [string, number])[]> => {
        const members = await storage.groups.membersOf(
          providerId,
          labels.map((label) => groupId(`group-${label}`)),
          { limit },
        )
        return labels.flatMap((label) => {
          const list = members.get(groupId(`group-${label}`))
          return list === undefined ? [] : [[label, list.length] as const]
        })
      }

      same(
        await received(['z-one', 'm-none', 'a-three'], 4),
        [
          ['z-one', 1],
          ['m-none', 0],
          ['a-three', 3],
        ],
        'all fit',
      )
      same(
        await received(['z-one', 'm-none', 'a-three'], 3),
        [
          ['z-one', 1],
          ['m-none', 0],
        ],
        'the last is too large',
      )
      same(
        await received(['a-three', 'm-none', 'z-one'], 3),
        [
          ['a-three', 3],
          ['m-none', 0],
        ],
        'no group fits',
      )
      same(await received(['z-one', 'a-three', 'm-none'], 2), [['z-one', 1]], 'none after the first that is too large')
      same(await received(['a-three', 'z-one'], 1), [['a-three', 3]], 'the first, however large')
      same(await received(['a-three'], 1), [['a-three', 3]], 'the only one')
    },
  ),

  law(
    "groups: a user's record lists the groups, and joining a group does not change the version of the user",
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      for (const label of ['b', 'a', 'c']) await storage.groups.insert(aGroup(label))
      for (const label of ['b', 'a']) {
        const members = { kind: 'delta', add: [ada.userId], remove: [] } as const
        await storage.groups.change({
          ...aGroup(label),
          version: undefined,
          state: undefined,
          members,
          now: nowPlus(1),
        })
      }
      const renamed = { state: aGroupState('b', { displayName: 'Renamed' }), version: undefined, members: undefined }
      await storage.groups.change({ ...aGroup('b'), ...renamed, now: nowPlus(2) })
      await storage.groups.insert(aGroup('nest', { memberIds: [aGroup('a').groupId] }))

      const groups = [
        { groupId: groupId('group-a'), displayName: 'Group a' },
        { groupId: groupId('group-b'), displayName: 'Renamed' },
      ]
      const record = { ...freshUser(ada), groups }
      same(await storage.provisionedUsers.find(ada.providerId, ada.userId), record, 'through find')
      same(
        await storage.provisionedUsers.findByExternalId(ada.providerId, 'external-ada'),
        record,
        'through findByExternalId',
      )
      const list = await storage.provisionedUsers.list(everything)
      same(list.outcome === 'listed' && list.records, [asListed(record)], 'through list')
      const swap = await storage.provisionedUsers.compareAndSwap({ ...ada, version: 1, now: nowPlus(3) })
      same(
        swap,
        { outcome: 'swapped', record: { ...record, updatedAt: nowPlus(3), version: 2 } },
        'through compareAndSwap',
      )
    },
  ),

  law(
    'groups: a user is read and changed without groups when the caller leaves them out',
    async ({ storage, same }) => {
      for (const user of [ada, grace]) await storage.provisionedUsers.insert(user)
      await storage.groups.insert(aGroup('staff', { memberIds: [ada.userId] }))
      const { provisionedUsers } = storage
      const without = 'groups'
      const record = { ...freshUser(ada), groups: undefined }

      same(await provisionedUsers.find(ada.providerId, ada.userId, { without }), record, 'through find')
      same(
        await provisionedUsers.findByExternalId(ada.providerId, 'external-ada', { without }),
        record,
        'through findByExternalId',
      )
      same(
        await provisionedUsers.compareAndSwap({ ...ada, version: 1, now: nowPlus(3), without }),
        { outcome: 'swapped', record: { ...record, updatedAt: nowPlus(3), version: 2 } },
        'through compareAndSwap',
      )
      same(
        await provisionedUsers.find(grace.providerId, grace.userId, { without }),
        freshUser(grace),
        'a user in no group',
      )
    },
  ),

  law(
    'groups: no method finds a removed group, and its members and the groups that contained it no longer refer to it',
    async ({ storage, server, same }) => {
      await storage.provisionedUsers.insert(ada)
      const staff = aGroup('staff', { memberIds: [ada.userId] })
      const parent = aGroup('parent', { memberIds: [staff.groupId] })
      for (const group of [staff, parent]) await storage.groups.insert(group)
      const request = { providerId: staff.providerId, groupId: staff.groupId, now: nowPlus(1) }
      same(await storage.groups.remove({ ...request, version: 2 }), { outcome: 'conflict' }, 'another version')

      const removals = await atOnce(4, (index) =>
        server(index).groups.remove({ ...request, version: index < 2 ? 1 : undefined }),
      )

      same(tally(removals), { removed: 1, absent: 3 }, '4 removals at once')
      same(await storage.groups.find(staff.providerId, staff.groupId), undefined, 'find')
      same(await storage.groups.findByExternalId(staff.providerId, 'external-staff'), undefined, 'findByExternalId')
      const delta = { kind: 'delta', add: [], remove: [] } as const
      const change = { ...request, version: undefined, state: staff.state, members: delta }
      same(await storage.groups.change(change), { outcome: 'absent' }, 'change')
      same([...(await storage.groups.membersOf(staff.providerId, [staff.groupId]))], [[staff.groupId, []]], 'membersOf')
      const member = await storage.provisionedUsers.find(ada.providerId, ada.userId)
      same(member, freshUser(ada), 'its member')
      const outer = await storage.groups.find(parent.providerId, parent.groupId)
      same(outer, { ...freshGroup(parent), version: 2, updatedAt: nowPlus(1) }, 'the group that it was in')
      same(
        [...(await storage.groups.membersOf(parent.providerId, [parent.groupId]))],
        [[parent.groupId, []]],
        'its members',
      )
      const heir = aGroup('heir', { state: staff.state })
      same(
        await storage.groups.insert(heir),
        { outcome: 'inserted', record: freshGroup(heir) },
        'another with its externalId',
      )
      await storage.groups.insert(aGroup('staff', { state: aGroupState('again') }))
      const members = await storage.groups.membersOf(staff.providerId, [staff.groupId])
      same(members.get(staff.groupId), [], 'the earlier members, in a group of the same identifier')
    },
  ),
]

const ada = aProvisionedUser('ada')
const grace = aProvisionedUser('grace')

const userMembers = (...ids: readonly string[]): readonly GroupMember[] =>
  ids.map((memberId) => ({ memberId, type: 'User' }))
