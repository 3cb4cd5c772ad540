import { userId, jsonText } from '../../values.ts'
import type { ProvisionedState, ProvisionedUserRecord, SameResourceState } from '../../provisioned-user.ts'
import type { ScimStorage } from '../../storage.ts'
import { now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import { aProvisionedState, aProvisionedUser, aUserChange, toUserRecord, freshUser } from '../provisioning-fixtures.ts'

/** Changes by a provider, which can deactivate the user in the same write. */
export const provisionedChangeLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned users: setting active to false advances the generation once, in the same write',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      const inactive: ProvisionedUserRecord = {
        ...fresh,
        active: false,
        generation: 1,
        updatedAt: nowPlus(1),
        version: 2,
      }

      const result = await storage.provisionedUsers.compareAndSwap(change({ active: false }, 1))

      same(result, { outcome: 'swapped', record: inactive }, 'the outcome')
      same(await storage.provisionedUsers.find(ada.providerId, ada.userId), inactive, 'the user as read')
      const again = await storage.provisionedUsers.compareAndSwap(change({ active: false }, 2))
      const record = { ...inactive, updatedAt: nowPlus(2), version: 3 }
      same(again, { outcome: 'swapped', record }, 'a second change, when the user is already inactive')
    },
  ),

  law(
    'provisioned users: setting active to true reactivates the user and keeps the generation',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.provisionedUsers.compareAndSwap(change({ active: false }, 1))

      const result = await storage.provisionedUsers.compareAndSwap(change({ active: true }, 2))

      const reactivated: ProvisionedUserRecord = { ...fresh, generation: 1, updatedAt: nowPlus(2), version: 3 }
      same(result, { outcome: 'swapped', record: reactivated }, 'the outcome')
      same(await storage.users.find(ada.userId), toUserRecord(reactivated), 'the user as UserStore reads it')
      const again = await storage.provisionedUsers.compareAndSwap(change({ active: false }, 3))
      same(again.outcome === 'swapped' && again.record.generation, 2, 'the generation after a second deactivation')
    },
  ),

  law('provisioned users: a change replaces the whole provider state and nothing else', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    const { externalId, resource, renderKey, claims } = aProvisionedState('grace')

    const result = await storage.provisionedUsers.compareAndSwap(change(aProvisionedState('grace'), 1))

    const expected = { ...fresh, externalId, resource, renderKey, claims, updatedAt: nowPlus(1), version: 2 }
    same(result, { outcome: 'swapped', record: expected }, 'the outcome')
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), expected, 'the user as read')
    const nothing = { externalId: undefined, resource: jsonText({}), renderKey: undefined, claims: {} }
    const emptied = change(nothing, 2)
    const record = { ...fresh, ...nothing, updatedAt: nowPlus(2), version: 3 }
    same(
      await storage.provisionedUsers.compareAndSwap(emptied),
      { outcome: 'swapped', record },
      'after the provider has removed its whole state',
    )
  }),

  law(
    'provisioned users: a change that keeps the resource has the effect of a change that repeats it',
    async ({ storage, same }) => {
      const kept = await effectsOfChanges('ada', storage, (state) => ({ ...state, comparable: 'unchanged' }))
      const repeated = await effectsOfChanges('bea', storage, (state) => state)

      same(kept, repeated, 'the outcomes, the user as read, and the keys that are taken')
    },
  ),

  law(
    'provisioned users: of concurrent writers that read the same version, one succeeds',
    async ({ storage, server, same }) => {
      await storage.provisionedUsers.insert(ada)

      const results = await atOnce(8, (index) =>
        server(index).provisionedUsers.compareAndSwap(change({ active: false, resource: jsonText({ index }) }, 1)),
      )

      same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
      const won = results.find((result) => result.outcome === 'swapped')
      const found = await storage.provisionedUsers.find(ada.providerId, ada.userId)
      same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner received')
      same({ generation: found?.generation, version: found?.version }, { generation: 1, version: 2 }, 'the counters')
      same(
        await storage.provisionedUsers.compareAndSwap(change({}, 1)),
        { outcome: 'conflict' },
        'a later writer with the old version',
      )
      same(
        await storage.provisionedUsers.compareAndSwap(change({}, 3)),
        { outcome: 'conflict' },
        'a version that does not exist yet',
      )
      same(await storage.provisionedUsers.find(ada.providerId, ada.userId), found, 'the user after the conflicts')
      const unknown = { ...change({}, 1), userId: userId('unknown') }
      same(await storage.provisionedUsers.compareAndSwap(unknown), { outcome: 'absent' }, 'an unknown user')
    },
  ),

  law(
    'provisioned users: a change to a key that another user has is refused, and writes nothing',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.provisionedUsers.insert(aProvisionedUser('grace'))
      await storage.provisionedUsers.insert(aProvisionedUser('joan'))
      const { comparable } = aProvisionedState('joan')
      const swap = (state: Partial<ProvisionedState>) =>
        storage.provisionedUsers.compareAndSwap(change({ active: false, ...state }, 1))

      same(
        await swap({ externalId: 'external-grace' }),
        { outcome: 'taken', key: 'externalId' },
        'the externalId of another user',
      )
      same(await swap({ comparable }), { outcome: 'taken', key: 'userName' }, 'the userName of another user')
      const both = await swap({ comparable, externalId: 'external-grace' })
      same(both, { outcome: 'taken', key: 'externalId' }, 'the userName of one user and the externalId of another')
      same(await storage.provisionedUsers.find(ada.providerId, ada.userId), fresh, 'the user after the refused changes')
      same((await swap({ resource: jsonText({}) })).outcome, 'swapped', 'a change that keeps the keys of the user')
      const late = await storage.provisionedUsers.compareAndSwap(change({ externalId: 'external-grace' }, 1))
      same(late, { outcome: 'conflict' }, 'the externalId of another user, with an old version')
    },
  ),

  law('provisioned users: of 8 concurrent changes to the same key, one succeeds', async ({ storage, server, same }) => {
    for (let index = 0; index < 8; index += 1) await storage.provisionedUsers.insert(aProvisionedUser(`${index}`))
    const { comparable } = aProvisionedState('new')
    const take = (version: number, state: Partial<ProvisionedState>) =>
      atOnce(8, (index) =>
        server(index).provisionedUsers.compareAndSwap({
          ...change({}, version),
          userId: aProvisionedUser(`${index}`).userId,
          state: aProvisionedState(`${index}`, state),
        }),
      )

    const byName = await take(1, { comparable })
    same(tally(byName), { swapped: 1, taken: 7 }, 'one userName')
    const second = await take(1, { externalId: 'new' })
    same(
      tally(second),
      { swapped: 1, conflict: 1, taken: 6 },
      'one externalId; one user has a newer version since the first round',
    )
  }),

  law(
    "provisioned users: a deactivation that races with a provider's change is not lost",
    async ({ storage, server, same }) => {
      await storage.provisionedUsers.insert(ada)

      await atOnce(8, async (index) => {
        if (index === 4) return server(index).users.deactivate(ada.userId, now)
        return server(index).provisionedUsers.compareAndSwap(change({ resource: jsonText({ index }) }, 1))
      })

      const found = await storage.provisionedUsers.find(ada.providerId, ada.userId)
      same(
        { active: found?.active, generation: found?.generation },
        { active: false, generation: 1 },
        'active and generation',
      )
    },
  ),
]

const ada = aProvisionedUser('ada')
const fresh = freshUser(ada)

/** Changes a user who is deactivated, reactivated and blocked. @returns what the changes did, with the same text for every label. */
async function effectsOfChanges(
  label: string,
  { provisionedUsers, users }: ScimStorage,
  toWritten: (state: ProvisionedState) => ProvisionedState | SameResourceState,
): Promise<unknown> {
  const user = aProvisionedUser(label)
  const { providerId, userId: id, state } = user
  const swap = (version: number, active: boolean, of = id) =>
    provisionedUsers.compareAndSwap({
      providerId,
      userId: of,
      version,
      state: toWritten({ ...state, active, claims: { version } }),
      now: nowPlus(version),
    })
  await provisionedUsers.insert(user)
  const outcomes = [await swap(1, false), await swap(2, true), await swap(1, false)]
  await users.deactivate(id, nowPlus(4))
  outcomes.push(await swap(4, false), await swap(5, true), await swap(6, true, userId('unknown')))
  const other = aProvisionedUser(`other-${label}`, {
    state: aProvisionedState(`other-${label}`, { comparable: state.comparable }),
  })
  const effects = [
    ...outcomes,
    await provisionedUsers.findByExternalId(providerId, state.externalId ?? ''),
    await provisionedUsers.insert(other),
  ]
  return JSON.parse(JSON.stringify(effects).replaceAll(label, 'label'))
}

/** Returns a change of `ada` by a writer that read `version`. */
const change = (state: Partial<ProvisionedState>, version: number) => aUserChange('ada', state, version)
