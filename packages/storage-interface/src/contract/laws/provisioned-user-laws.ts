import type { ScimStorage } from '../../storage.ts'
import { providerId, userId } from '../../identifiers.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aProvisionedState, aProvisionedUser, freshAccount } from '../records/a-provisioned-user.ts'
import { aUser } from '../records/a-user.ts'
import { now, nowPlus } from '../records/moments.ts'

/** Accounts of identity providers: how they begin, and whose their keys are. */
export const provisionedUserLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned accounts: an account begins as its provider says, with generation 0 and version 1',
    async ({ storage, same }) => {
      const inactive = aProvisionedUser('grace', { state: aProvisionedState('grace', { active: false }) })
      for (const user of [ada, inactive]) {
        const record = freshAccount(user)
        same(await storage.provisionedUsers.insert(user), { outcome: 'inserted', record }, 'the insertion')
        same(await storage.provisionedUsers.find(user.providerId, user.userId), record, 'the account as read')
      }
      same(
        await storage.provisionedUsers.find(ada.providerId, userId('unknown')),
        undefined,
        'one that was never there',
      )
    },
  ),

  law('provisioned accounts: an identifier is used once, ever, by whomever', async ({ storage, same }) => {
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
    same(await storage.provisionedUsers.insert(ada), { outcome: 'taken', key: 'id' }, 'the same account again')
    const plain = aUser({ userId: ada.userId })
    same(await storage.users.insert(plain), { outcome: 'taken' }, 'an account without provider')
    same(await storage.provisionedUsers.find(ada.providerId, ada.userId), freshAccount(ada), 'the first account')
  }),

  law(
    'provisioned accounts: userName and externalId are each held by one account of a provider',
    async ({ storage, same }) => {
      await storage.provisionedUsers.insert(ada)
      await storage.provisionedUsers.insert(aProvisionedUser('grace'))
      const { comparable, externalId } = ada.state
      const refused = [
        { about: 'the externalId', key: 'externalId', state: aProvisionedState('new', { externalId }) },
        { about: 'the userName', key: 'userName', state: aProvisionedState('new', { comparable }) },
        {
          about: 'no externalId',
          key: 'userName',
          state: aProvisionedState('new', { comparable, externalId: undefined }),
        },
        {
          about: 'both',
          key: 'externalId',
          state: aProvisionedState('new', { comparable, externalId: 'external-grace' }),
        },
      ]
      for (const { about, key, state } of refused) {
        const user = aProvisionedUser('new', { state })
        same(await storage.provisionedUsers.insert(user), { outcome: 'taken', key }, about)
        same(await storage.provisionedUsers.find(user.providerId, user.userId), undefined, `what was written: ${about}`)
      }
      for (const label of ['one', 'two']) {
        const nameless = aProvisionedUser(label, { state: aProvisionedState(label, { externalId: undefined }) })
        same((await storage.provisionedUsers.insert(nameless)).outcome, 'inserted', 'an account without externalId')
      }
    },
  ),

  law('provisioned accounts: of 8 insertions with one key at once one is inserted', async ({ server, same }) => {
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
    same(keysOf(byName), ['userName'], 'the key that the seven were told')
    same(tally(byExternalId), { inserted: 1, taken: 7 }, 'one externalId')
    same(keysOf(byExternalId), ['externalId'], 'the key that these were told')
  }),

  law('provisioned accounts: an account is found by the externalId that it has now', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    const find = (externalId: string) => storage.provisionedUsers.findByExternalId(ada.providerId, externalId)
    same(await find('external-ada'), freshAccount(ada), 'the first externalId')
    same(await find('external-'), undefined, 'the beginning of it')

    const { userId: id, providerId: provider } = ada
    const change = { providerId: provider, userId: id, now: nowPlus(1) }
    const renamed = await storage.provisionedUsers.compareAndSwap({
      ...change,
      version: 1,
      state: aProvisionedState('ada', { externalId: 'new' }),
    })
    same(await find('external-ada'), undefined, 'the first externalId after a change')
    same(await find('new'), renamed.outcome === 'swapped' && renamed.record, 'the new one')

    const state = aProvisionedState('ada', { externalId: undefined })
    await storage.provisionedUsers.compareAndSwap({ ...change, version: 2, state })
    same(await find('new'), undefined, 'the new one after it was cleared')
    same(await find(''), undefined, 'no externalId')
  }),

  law('provisioned accounts: a key that was given up is free', async ({ storage, same }) => {
    await storage.provisionedUsers.insert(ada)
    const { providerId: provider, userId: id, state } = ada
    const other = aProvisionedState('other')
    await storage.provisionedUsers.compareAndSwap({ providerId: provider, userId: id, version: 1, state: other, now })

    const heir = aProvisionedUser('heir', { state })
    same((await storage.provisionedUsers.insert(heir)).outcome, 'inserted', 'an account with both of its first keys')
    const back = await storage.provisionedUsers.compareAndSwap({
      providerId: provider,
      userId: id,
      version: 2,
      state,
      now,
    })
    same(back, { outcome: 'taken', key: 'externalId' }, 'taking them back')
  }),
]

const ada = aProvisionedUser('ada')

function keysOf(
  results: readonly ({ readonly outcome: 'inserted' } | { readonly outcome: 'taken'; readonly key: string })[],
) {
  return [...new Set(results.flatMap((result) => (result.outcome === 'taken' ? [result.key] : [])))]
}
