import { providerId, userId } from '../../values.ts'
import type { InsertUserOutcome } from '../../provisioned-user.ts'
import type { ScimStorage } from '../../storage.ts'
import { aUser, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import { aProvisionedState, aProvisionedUser, freshUser } from '../provisioning-fixtures.ts'

/** Users of identity providers: insertion and unique keys. */
export const provisionedUserLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    "provisioned users: a new user has the provider's state, generation 0 and version 1",
    async ({ storage, same }) => {
      const inactive = aProvisionedUser('grace', { state: aProvisionedState('grace', { active: false }) })
      for (const user of [ada, inactive]) {
        const record = freshUser(user)
        same(await storage.provisionedUsers.insert(user), { outcome: 'inserted', record }, 'the insertion')
        same(await storage.provisionedUsers.find(user.providerId, user.userId), record, 'the user as read')
      }
      same(
        await storage.provisionedUsers.find(ada.providerId, userId('unknown')),
        undefined,
        'a user who never existed',
      )
    },
  ),

  law('provisioned users: an identifier is never used twice, even by another provider', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    await storage.users.insert(aUser({ userId: userId('plain') }))
    await storage.users.insert(aUser({ userId: userId('removed') }))
    await storage.users.remove(userId('removed'), now)

    for (const id of [ada.userId, userId('plain'), userId('removed')]) {
      const elsewhere = aProvisionedUser('other', { userId: id, providerId: providerId('provider-2') })
      const result = await storage.provisionedUsers.insert(elsewhere)
      same(result, { outcome: 'taken', key: 'id' }, `an insertion of ${id}`)
      const found = await storage.provisionedUsers.find(elsewhere.providerId, id)
      same(found, undefined, `${id} as the second provider reads it`)
    }
    same(await storage.provisionedUsers.insert(ada), { outcome: 'taken', key: 'id' }, 'the same user again')
    const plain = aUser({ userId: ada.userId })
    same(await storage.users.insert(plain), { outcome: 'taken' }, 'a user without a provider')
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), freshUser(ada), 'the first user')
  }),

  law('provisioned users: userName and externalId are unique within a provider', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    await storage.provisionedUsers.insert(aProvisionedUser('grace'))
    const { comparable, externalId } = ada.state
    const clashes = [
      { about: 'the externalId', key: 'externalId', state: aProvisionedState('new', { externalId }) },
      { about: 'the userName', key: 'userName', state: aProvisionedState('new', { comparable }) },
      {
        about: 'the userName, without an externalId',
        key: 'userName',
        state: aProvisionedState('new', { comparable, externalId: undefined }),
      },
      {
        about: 'the userName of one user and the externalId of another',
        key: 'externalId',
        state: aProvisionedState('new', { comparable, externalId: 'external-grace' }),
      },
    ]
    for (const { about, key, state } of clashes) {
      const user = aProvisionedUser('new', { state })
      same(await storage.provisionedUsers.insert(user), { outcome: 'taken', key }, about)
      same(
        await storage.provisionedUsers.find(user.providerId, user.userId),
        undefined,
        `the user after the refused insertion: ${about}`,
      )
    }
    for (const label of ['one', 'two']) {
      const withoutExternalId = aProvisionedUser(label, { state: aProvisionedState(label, { externalId: undefined }) })
      same(
        (await storage.provisionedUsers.insert(withoutExternalId)).outcome,
        'inserted',
        'a user without an externalId',
      )
    }
  }),

  law('provisioned users: of 8 concurrent insertions with the same key, one succeeds', async ({ server, same }) => {
    const { comparable, externalId } = ada.state
    const byName = await atOnce(8, (index) =>
      server(index).provisionedUsers.insert(
        aProvisionedUser(`name-${index}`, { state: aProvisionedState(`name-${index}`, { comparable }) }),
      ),
    )
    const byExternalId = await atOnce(8, (index) =>
      server(index).provisionedUsers.insert(
        aProvisionedUser(`ext-${index}`, { state: aProvisionedState(`ext-${index}`, { externalId }) }),
      ),
    )

    same(tally(byName), { inserted: 1, taken: 7 }, 'one userName')
    same(keysOf(byName), ['userName'], 'the key that the seven refusals name')
    same(tally(byExternalId), { inserted: 1, taken: 7 }, 'one externalId')
    same(keysOf(byExternalId), ['externalId'], 'the key that the seven refusals name')
  }),

  law('provisioned users: a user is found by their current externalId', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    const find = (externalId: string) => storage.provisionedUsers.findByExternalId(ada.providerId, externalId)
    same(await find('external-ada'), freshUser(ada), 'the first externalId')
    same(await find('external-'), undefined, 'a prefix of the externalId')

    const { userId: id, providerId: provider } = ada
    const change = { providerId: provider, userId: id, now: nowPlus(1) }
    const renamed = await storage.provisionedUsers.compareAndSwap({
      ...change,
      version: 1,
      state: aProvisionedState('ada', { externalId: 'new' }),
    })
    same(await find('external-ada'), undefined, 'the first externalId after a change')
    same(await find('new'), renamed.outcome === 'swapped' && renamed.record, 'the new externalId')

    const state = aProvisionedState('ada', { externalId: undefined })
    await storage.provisionedUsers.compareAndSwap({ ...change, version: 2, state })
    same(await find('new'), undefined, 'the new externalId after it was cleared')
    same(await find(''), undefined, 'an empty externalId')
  }),

  law(
    'provisioned users: a userName or externalId that a user no longer has is available again',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      const { providerId: provider, userId: id, state } = ada
      const other = aProvisionedState('other')
      await storage.provisionedUsers.compareAndSwap({ providerId: provider, userId: id, version: 1, state: other, now })

      const heir = aProvisionedUser('heir', { state })
      same(
        (await storage.provisionedUsers.insert(heir)).outcome,
        'inserted',
        'another user with the keys that ada used before',
      )
      const back = await storage.provisionedUsers.compareAndSwap({
        providerId: provider,
        userId: id,
        version: 2,
        state,
        now,
      })
      same(back, { outcome: 'taken', key: 'externalId' }, 'a change of ada back to these keys')
    },
  ),
]

const ada = aProvisionedUser('ada')

function keysOf(results: readonly InsertUserOutcome[]) {
  return [...new Set(results.flatMap((result) => (result.outcome === 'taken' ? [result.key] : [])))]
}
