import type { ScimStorage } from '../../storage.ts'
import type { MemberChange } from '../../group.ts'
import { groupId, userId } from '../../identifiers.ts'
import { law, type StorageLaw } from '../law.ts'
import { aGroup, aGroupState, freshGroup } from '../records/a-group.ts'
import { now, nowPlus } from '../records/moments.ts'
import { change, delta, seedMembers, membersFixture, staffMembers } from '../members-fixture.ts'

/** Who is in a group, and how that changes. */
export const memberLaws: readonly StorageLaw<ScimStorage>[] = [
  law('members: a delta adds and removes; who is in both lists is added', async ({ storage, same }) => {
    await seedMembers(storage, ['a', 'b'])

    const add = ['user-b', 'user-c', 'user-c', 'user-d']
    const result = await storage.groups.change(change(delta(add, ['user-a', 'user-d', 'user-e', 'unknown'])))

    const record = { ...freshGroup(membersFixture), version: 2, updatedAt: nowPlus(1) }
    same(result, { outcome: 'swapped', record }, 'the outcome')
    same(await storage.groups.find(membersFixture.providerId, membersFixture.groupId), record, 'the group as read')
    same(await staffMembers(storage), ['user-b', 'user-c', 'user-d'], 'the members')
  }),

  law('members: replacing them leaves exactly those that are named', async ({ storage, same }) => {
    await seedMembers(storage, ['a', 'b'])

    const result = await storage.groups.change(change({ kind: 'replace', memberIds: ['user-c', 'user-b', 'user-c'] }))

    const record = { ...freshGroup(membersFixture), version: 2, updatedAt: nowPlus(1) }
    same(result, { outcome: 'swapped', record }, 'the outcome')
    same(await staffMembers(storage), ['user-b', 'user-c'], 'the members')
    await storage.groups.change(change({ kind: 'replace', memberIds: [] }))
    same(await staffMembers(storage), [], 'after replacing them by nobody')
  }),

  law('members: a change may name a hundred thousand', async ({ storage, same }) => {
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

  law('members: a change that finds all as it should be leaves version and time', async ({ storage, same }) => {
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

  law('groups: a new state leaves the members, and both are changed in one step', async ({ storage, same }) => {
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
  }),

  law('members: somebody who is not there keeps all from being written', async ({ storage, same }) => {
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
      same(inserted, { outcome: 'memberUnknown' }, `a group with ${unknown}`)
      const state = aGroupState('renamed')
      const added = await storage.groups.change({ ...change(delta(['user-b', unknown], ['user-a'])), state })
      same(added, { outcome: 'memberUnknown' }, `adding ${unknown}`)
      const replaced = await storage.groups.change(change({ kind: 'replace', memberIds: [unknown] }))
      same(replaced, { outcome: 'memberUnknown' }, `replacing by ${unknown}`)
    }
    const itself = await storage.groups.change(change(delta([membersFixture.groupId], [])))
    same(itself, { outcome: 'memberUnknown' }, 'adding the group itself')
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

  law('members: groups may be in each other', async ({ storage, same }) => {
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
