import { providerId, userId } from '../../values.ts'
import type { ScimStorage } from '../../storage.ts'
import { aUser, nowPlus } from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'
import { aProvisionedUser } from '../provisioning-fixtures.ts'

/** A sign-in does not recreate a user whom the provider removed. */
export const removedUserLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned users: the externalId of a removed or released user is remembered per provider',
    async ({ storage, same }) => {
      const grace = aProvisionedUser('grace')
      await storage.provisionedUsers.insert(ada)
      await storage.provisionedUsers.insert(grace)
      const hasRemoved = (label: string, id = ada.providerId) =>
        storage.provisionedUsers.hasRemoved(id, `external-${label}`)
      same(await hasRemoved('ada'), false, 'before')

      await storage.provisionedUsers.release(request)
      await storage.users.remove(grace.userId, nowPlus(1))

      same([await hasRemoved('ada'), await hasRemoved('grace')], [true, true], 'after the release and the removal')
      same(await hasRemoved('ada', providerId('provider-2')), false, 'for another provider')
      same(await hasRemoved('joan'), false, 'a user who never existed')
      await storage.users.remove(ada.userId, nowPlus(10))
      same(await hasRemoved('ada'), true, 'after the host has removed the released user too')
    },
  ),

  law('provisioned users: with unlessRemoved, a removed user is neither inserted nor adopted', async (trial) => {
    const { storage, same } = trial
    const grace = aProvisionedUser('grace', { unlessRemoved: true })
    same((await storage.provisionedUsers.insert(grace)).outcome, 'inserted', 'a user who never existed')
    await storage.provisionedUsers.remove({ ...grace, version: undefined, now: nowPlus(1) })
    await storage.users.insert(aUser({ userId: ada.userId }))
    const { state } = grace

    const again = { ...grace, userId: userId('again') }
    same(await storage.provisionedUsers.insert(again), { outcome: 'removed' }, 'an insertion')
    const linking = { ...adoption, state, unlessRemoved: true }
    same(await storage.provisionedUsers.adopt(linking), { outcome: 'removed' }, 'an adoption')

    const { provisionedUsers, users } = storage
    same(await provisionedUsers.findByExternalId(grace.providerId, 'external-grace'), undefined, 'the user')
    same((await users.find(ada.userId))?.version, 1, 'the version of the user who was to be adopted')
    const late = await provisionedUsers.adopt({ ...linking, version: 2 })
    same(late, { outcome: 'conflict' }, 'an adoption with another version')
    const elsewhere = { ...again, providerId: providerId('provider-2') }
    same((await provisionedUsers.insert(elsewhere)).outcome, 'inserted', 'an insertion by another provider')
    const byProvider = await provisionedUsers.insert({ ...grace, userId: userId('created'), unlessRemoved: false })
    same(byProvider.outcome, 'inserted', 'an insertion without unlessRemoved')
    same(
      await provisionedUsers.insert({ ...again, userId: userId('last') }),
      { outcome: 'taken', key: 'externalId' },
      'an insertion after the provider has created the user again',
    )
    const own = { ...adoption, version: 1, unlessRemoved: true }
    same((await provisionedUsers.adopt(own)).outcome, 'swapped', 'an adoption of a user who was never removed')
  }),

  law(
    'provisioned users: a sign-in does not recreate a user whom the directory creates and removes meanwhile',
    async ({ storage, server, same }) => {
      for (let round = 0; round < 8; round += 1) {
        const user = aProvisionedUser(`${round}`)
        const signIn = { ...user, userId: userId(`sign-in-${round}`), unlessRemoved: true }
        const directory = async () => {
          const { outcome } = await server(1).provisionedUsers.insert(user)
          if (outcome !== 'inserted') return 'taken'
          await server(1).provisionedUsers.remove({ ...user, version: undefined, now: nowPlus(1) })
          return 'removed'
        }
        const [created, signedIn] = await Promise.all([
          directory(),
          // In each round, the insertion starts one read later.
          (async () => {
            for (let read = 0; read < round; read += 1) await server(0).users.find(user.userId)
            return server(0).provisionedUsers.insert(signIn)
          })(),
        ])
        const found = await storage.provisionedUsers.findByExternalId(user.providerId, `external-${round}`)
        // The sign-in created the user before the directory did, or not at all.
        same(found?.userId, created === 'taken' ? signIn.userId : undefined, `the user, ${signedIn.outcome}`)
      }
    },
  ),
]

const ada = aProvisionedUser('ada')
const request = { providerId: ada.providerId, userId: ada.userId, version: undefined, now: nowPlus(9) }
const adoption = { ...request, version: 1, state: ada.state, now: nowPlus(1) }
