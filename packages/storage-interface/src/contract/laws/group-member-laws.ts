// One file, because these are all laws about changes of members, alone and at the same time.
import type { MemberChange } from '../../group.ts'
import { groupId, userId } from '../../values.ts'
import type { ScimStorage } from '../../storage.ts'
import { now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import {
  aGroup,
  aGroupState,
  change,
  delta,
  freshGroup,
  membersFixture,
  seedMembers,
  staffMembers,
} from '../provisioning-fixtures.ts'

/** Members of a group, and changes to them. */
export const memberLaws: readonly StorageLaw<ScimStorage>[] = [
  law('members: a change adds and removes users, and adds a user in both lists', async ({ storage, same }) => {
    await seedMembers(storage, ['a', 'b'])

    const add = ['user-b', 'user-c', 'user-c', 'user-d']
    const result = await storage.groups.change(change(delta(add, ['user-a', 'user-d', 'user-e', 'unknown'])))

    const record = { ...freshGroup(membersFixture), version: 2, updatedAt: nowPlus(1) }
    same(result, { outcome: 'swapped', record }, 'the outcome')
    same(await storage.groups.find(membersFixture.providerId, membersFixture.groupId), record, 'the group as read')
    same(await staffMembers(storage), ['user-b', 'user-c', 'user-d'], 'the members')
  }),

  law('members: a replacement leaves exactly the named members', async ({ storage, same }) => {
    await seedMembers(storage, ['a', 'b'])

    const result = await storage.groups.change(change({ kind: 'replace', memberIds: ['user-c', 'user-b', 'user-c'] }))

    const record = { ...freshGroup(membersFixture), version: 2, updatedAt: nowPlus(1) }
    same(result, { outcome: 'swapped', record }, 'the outcome')
    same(await staffMembers(storage), ['user-b', 'user-c'], 'the members')
    await storage.groups.change(change({ kind: 'replace', memberIds: [] }))
    same(await staffMembers(storage), [], 'after replacing them with an empty list')
  }),

  law('members: a change may name 100,000 members', async ({ storage, same }) => {
    await seedMembers(storage, ['a', 'b'])
    const many = Array.from({ length: 100_000 }, (_, index) => `unknown-${index}`)
    const repeated = many.map((_, index) => (index % 2 === 0 ? 'user-b' : 'user-c'))

    const result = await storage.groups.change(change(delta([...repeated, 'user-d'], [...many, 'user-a'])))

    const record = { ...freshGroup(membersFixture), version: 2, updatedAt: nowPlus(1) }
    same(result, { outcome: 'swapped', record }, 'a delta')
    same(await staffMembers(storage), ['user-b', 'user-c', 'user-d'], 'the members')
    const replaced = await storage.groups.change(change({ kind: 'replace', memberIds: [...repeated, 'user-e'] }))
    same(replaced, { outcome: 'swapped', record: { ...record, version: 3 } }, 'a replacement')
    same(await staffMembers(storage), ['user-b', 'user-c', 'user-e'], 'the members after it')
  }),

  law('members: a change without effect keeps version and time', async ({ storage, same }) => {
    await seedMembers(storage, ['a', 'b'])
    const unchanged = { outcome: 'unchanged', record: freshGroup(membersFixture) }

    const idle: readonly (MemberChange | undefined)[] = [
      delta(['user-a'], []),
      delta([], ['user-c', 'unknown']),
      delta(['user-b'], ['user-b']),
      delta([], []),
      { kind: 'replace', memberIds: ['user-b', 'user-a', 'user-b'] },
      undefined,
    ]
    for (const members of idle) {
      same(await storage.groups.change(change(members)), unchanged, JSON.stringify(members) ?? 'no change')
    }
    same(
      await storage.groups.find(membersFixture.providerId, membersFixture.groupId),
      freshGroup(membersFixture),
      'the group as read',
    )
    same(await staffMembers(storage), ['user-a', 'user-b'], 'the members')
    const stale = await storage.groups.change({ ...change(delta([], [])), version: 2 })
    same(stale, { outcome: 'conflict' }, 'with another version')
  }),

  law(
    'groups: a new state keeps the members, and state and members can change in one step',
    async ({ storage, same }) => {
      await seedMembers(storage, ['a'])
      const state = aGroupState('renamed')
      const { externalId, displayName, resource } = state
      const renamed = {
        ...freshGroup(membersFixture),
        externalId,
        displayName,
        resource,
        version: 2,
        updatedAt: nowPlus(1),
      }

      const first = await storage.groups.change({ ...change(undefined), state })
      same(first, { outcome: 'swapped', record: renamed }, 'the state alone')
      same(await staffMembers(storage), ['user-a'], 'the members')

      const second = await storage.groups.change({
        ...change(delta(['user-b'], ['user-a'])),
        state: membersFixture.state,
        version: 2,
      })
      const record = { ...freshGroup(membersFixture), version: 3, updatedAt: nowPlus(1) }
      same(second, { outcome: 'swapped', record }, 'both')
      same(await storage.groups.find(membersFixture.providerId, membersFixture.groupId), record, 'the group as read')
      same(await staffMembers(storage), ['user-b'], 'the members after that')
    },
  ),

  law('members: an unknown member prevents the whole change', async ({ storage, same }) => {
    await seedMembers(storage, ['a'])
    await storage.users.insert({ userId: userId('no-provider'), claims: {}, createdAt: now })
    await storage.provisionedUsers.remove({
      providerId: membersFixture.providerId,
      userId: userId('user-e'),
      version: 1,
      now,
    })

    for (const unknown of ['unknown', 'no-provider', 'user-e', 'group-new', '']) {
      const inserted = await storage.groups.insert(aGroup('new', { memberIds: ['user-b', unknown] }))
      same(inserted, { outcome: 'memberUnknown', memberId: unknown }, `a group with ${unknown}`)
      const state = aGroupState('renamed')
      const added = await storage.groups.change({ ...change(delta(['user-b', unknown], ['user-a'])), state })
      same(added, { outcome: 'memberUnknown', memberId: unknown }, `adding ${unknown}`)
      const replaced = await storage.groups.change(change({ kind: 'replace', memberIds: [unknown] }))
      same(replaced, { outcome: 'memberUnknown', memberId: unknown }, `replacing by ${unknown}`)
    }
    const itself = await storage.groups.change(change(delta([membersFixture.groupId], [])))
    same(itself, { outcome: 'memberUnknown', memberId: membersFixture.groupId }, 'adding the group itself')
    same(
      await storage.groups.find(membersFixture.providerId, membersFixture.groupId),
      freshGroup(membersFixture),
      'the group',
    )
    same(await staffMembers(storage), ['user-a'], 'its members')
    same(
      await storage.groups.find(membersFixture.providerId, groupId('group-new')),
      undefined,
      'the group that was not inserted',
    )
  }),

  law('members: groups may contain each other', async ({ storage, same }) => {
    await storage.groups.insert(membersFixture)
    const inner = aGroup('inner', { memberIds: [membersFixture.groupId] })
    await storage.groups.insert(inner)

    same((await storage.groups.change(change(delta([inner.groupId], [])))).outcome, 'swapped', 'closing the circle')

    const members = await storage.groups.membersOf(membersFixture.providerId, [membersFixture.groupId, inner.groupId])
    same(members.get(membersFixture.groupId), [{ memberId: inner.groupId, type: 'Group' }], 'the outer group')
    same(members.get(inner.groupId), [{ memberId: membersFixture.groupId, type: 'Group' }], 'the inner group')
    const { groupId: id, providerId } = inner
    same(await storage.groups.remove({ providerId, groupId: id, version: 1, now }), { outcome: 'removed' }, 'a removal')
    same(await staffMembers(storage), [], 'the outer group after it')
  }),
]

/** No change of a member is lost if others change the group at the same time. */
export const memberRaceLaws: readonly StorageLaw<ScimStorage>[] = [
  law('groups: of concurrent writers that read the same version, one succeeds', async ({ storage, server, same }) => {
    await seedMembers(storage, [])

    const results = await atOnce(8, (index) =>
      server(index).groups.change({ ...change(delta([`user-${'abcdeabc'[index]}`], [])), version: 1 }),
    )

    same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
    const won = results.find((result) => result.outcome === 'swapped')
    const found = await storage.groups.find(membersFixture.providerId, membersFixture.groupId)
    same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner received')
    same((await staffMembers(storage)).length, 1, 'how many members there are')
    const unknown = { ...change(delta([], [])), groupId: groupId('unknown') }
    same(await storage.groups.change(unknown), { outcome: 'absent' }, 'an unknown group')
  }),

  law('members: no concurrent delta is lost', async ({ storage, server, same }) => {
    await seedMembers(storage, ['a', 'b'])
    const changes = [
      delta(['user-c'], []),
      delta([], ['user-a']),
      delta(['user-d'], []),
      delta(['user-c', 'user-e'], []),
      delta([], ['user-b', 'user-a']),
      delta([], ['unknown']),
      delta(['user-d'], ['user-b']),
      delta(['user-e'], []),
    ]

    const results = await atOnce(8, (index) => server(index).groups.change(change(changes[index])))

    same(await staffMembers(storage), ['user-c', 'user-d', 'user-e'], 'the members')
    const { swapped = 0, unchanged = 0 } = tally(results)
    same(swapped + unchanged, 8, 'how many were carried out')
    const found = await storage.groups.find(membersFixture.providerId, membersFixture.groupId)
    same(found?.version, 1 + swapped, 'the version: one step for each change')
  }),

  law('members: no delta is lost when the state changes concurrently', async ({ storage, server, same }) => {
    await seedMembers(storage, [])

    const results = await atOnce(10, (index) => {
      const groups = server(Math.floor(index / 2)).groups
      if (index % 2 === 0) return groups.change({ ...change(undefined), state: aGroupState(`${index}`) })
      return groups.change(change(delta([`user-${'abcde'[(index - 1) / 2]}`], [])))
    })

    same(tally(results), { swapped: 10 }, 'outcomes')
    same(await staffMembers(storage), ['user-a', 'user-b', 'user-c', 'user-d', 'user-e'], 'the members')
    same((await storage.groups.find(membersFixture.providerId, membersFixture.groupId))?.version, 11, 'the version')
  }),

  law(
    'members: users who are removed while they join are in no group afterwards',
    async ({ storage, server, same }) => {
      await seedMembers(storage, [])
      const { providerId } = membersFixture

      await atOnce(10, async (index): Promise<unknown> => {
        const id = userId(`user-${'abcde'[Math.floor(index / 2)]}`)
        if (index % 2 === 0) return server(index / 2).groups.change(change(delta([id], [])))
        return server(index).provisionedUsers.remove({ providerId, userId: id, version: undefined, now })
      })

      same(await staffMembers(storage), [], 'the members')
    },
  ),

  law(
    'members: a group that is removed while users join is not among their groups',
    async ({ storage, server, same }) => {
      await seedMembers(storage, [])

      const results = await atOnce(6, async (index): Promise<{ readonly outcome: string }> => {
        if (index === 3) return server(index).groups.remove(change(undefined))
        return server(index).groups.change(change(delta([`user-${'abcxde'[index]}`], [])))
      })

      const { removed, swapped = 0, absent = 0 } = tally(results)
      same([removed, swapped + absent], [1, 5], 'outcomes')
      for (const label of 'abcde') {
        const found = await storage.provisionedUsers.find(membersFixture.providerId, userId(`user-${label}`))
        same(found?.groups, [], `the groups of ${label}`)
      }
    },
  ),
]
