import type { ScimStorage } from '../../storage.ts'
import { groupId, userId } from '../../identifiers.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aGroupState } from '../records/a-group.ts'
import { now } from '../records/moments.ts'
import { change, delta, seedMembers, membersFixture, staffMembers } from '../members-fixture.ts'

/** No member is lost, whoever else changes the group at the same time. */
export const memberRaceLaws: readonly StorageLaw<ScimStorage>[] = [
  law('groups: of writers who read one version one is swapped', async ({ storage, server, same }) => {
    await seedMembers(storage, [])

    const results = await atOnce(8, (index) =>
      server(index).groups.change({ ...change(delta([`user-${'abcdeabc'[index]}`], [])), version: 1 }),
    )

    same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
    const won = results.find((result) => result.outcome === 'swapped')
    const found = await storage.groups.find(membersFixture.providerId, membersFixture.groupId)
    same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner was given')
    same((await staffMembers(storage)).length, 1, 'how many members there are')
    const unknown = { ...change(delta([], [])), groupId: groupId('unknown') }
    same(await storage.groups.change(unknown), { outcome: 'absent' }, 'an unknown group')
  }),

  law('members: of deltas at once none is lost', async ({ storage, server, same }) => {
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

  law('members: deltas that race with new states are carried out', async ({ storage, server, same }) => {
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
    'members: accounts that are removed while they join are in no group afterwards',
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
    'members: a group that is removed while people join it is no group of theirs',
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
