import { clientId, familyId, grantId, userId } from '../../identifiers.ts'
import type { OAuthStorage } from '../../storage.ts'
import { law, type StorageLaw } from '../law.ts'
import { aClientRecord } from '../records/a-client.ts'
import { aDigest } from '../records/a-digest.ts'
import { aFamilyRecord } from '../records/a-family.ts'
import { aGrantRecord } from '../records/a-grant.ts'
import { aSessionRecord } from '../records/a-session.ts'
import { aUser } from '../records/a-user.ts'
import { nowPlus } from '../records/moments.ts'

/** Rows that belong together are what the single stores hold, whatever has become of them. */
export const statusLaws: readonly StorageLaw[] = [
  law(
    'standing: a grant stands with its client and person, as the single stores hold them',
    async ({ storage, same }) => {
      await insertAll(storage)
      for (const step of changes) {
        await step.change(storage)
        const expected = { grant: await grantOf(storage), client: await clientOf(storage), user: await userOf(storage) }
        same(await storage.status.ofGrant(grant.grantId), expected, step.name)
      }
      same(await storage.status.ofGrant(grantId('unknown')), undefined, 'an unknown grant')
    },
  ),

  law(
    'standing: a family stands with its grant, client and person, by identifier and by handle',
    async ({ storage, same }) => {
      await insertAll(storage)
      for (const step of changes) {
        await step.change(storage)
        const family = step.revoked ? { ...aFamilyRecord(), revokedAt: nowPlus(4) } : aFamilyRecord()
        const expected = {
          family,
          grant: await grantOf(storage),
          client: await clientOf(storage),
          user: await userOf(storage),
        }
        same(await storage.status.ofFamily(family.familyId), expected, `by identifier: ${step.name}`)
        same(await storage.status.ofRefreshHandle(aDigest('handle-1')), expected, `by handle: ${step.name}`)
      }
      same(await storage.status.ofFamily(familyId('unknown')), undefined, 'an unknown family')
      same(await storage.status.ofRefreshHandle(aDigest('unknown')), undefined, 'an unknown handle')
    },
  ),

  law('standing: a session stands with its person', async ({ storage, same }) => {
    await insertAll(storage)
    for (const step of changes) {
      await step.change(storage)
      const session = step.revoked ? { ...aSessionRecord(), revokedAt: nowPlus(4) } : aSessionRecord()
      same(await storage.status.ofSession(session.digest), { session, user: await userOf(storage) }, step.name)
    }
    same(await storage.status.ofSession(aDigest('unknown')), undefined, 'an unknown session')
  }),

  law('standing: what a row names and is not there is undefined, and the row is found', async ({ storage, same }) => {
    await storage.grants.insert(grant)
    await storage.families.insert(
      aFamilyRecord({ grantId: grantId('gone'), clientId: clientId('gone'), userId: userId('gone') }),
    )
    await storage.sessions.insert(aSessionRecord())

    same(await storage.status.ofGrant(grant.grantId), { grant, client: undefined, user: undefined }, 'a grant')
    const standing = await storage.status.ofFamily(aFamilyRecord().familyId)
    same({ ...standing, family: undefined }, {}, 'what a family stands with')
    same(standing === undefined, false, 'whether the family is found')
    const ofSession = await storage.status.ofSession(aSessionRecord().digest)
    same(ofSession, { session: aSessionRecord(), user: undefined }, 'a session')
  }),
]

const grant = aGrantRecord()

async function insertAll(storage: OAuthStorage): Promise<void> {
  await storage.clients.insert(aClientRecord())
  await storage.users.insert(aUser())
  await storage.grants.insert(grant)
  await storage.families.insert(aFamilyRecord())
  await storage.sessions.insert(aSessionRecord())
}

/** What becomes of the rows, one after the other. */
const changes: readonly {
  readonly name: string
  readonly revoked: boolean
  change(storage: OAuthStorage): Promise<unknown>
}[] = [
  { name: 'all in use', revoked: false, change: async () => undefined },
  {
    name: 'the person is deactivated',
    revoked: false,
    change: (storage) => storage.users.deactivate(grant.userId, nowPlus(1)),
  },
  {
    name: 'the client is disabled',
    revoked: false,
    change: (storage) => storage.clients.compareAndSwap(aClientRecord({ disabledAt: nowPlus(2) }), 1),
  },
  {
    name: 'the grant is widened',
    revoked: false,
    change: (storage) =>
      storage.grants.replaceScopes({ grantId: grant.grantId, scopes: ['openid', 'email'], version: 1 }),
  },
  {
    name: 'grant, family and session are revoked',
    revoked: true,
    change: async (storage) => {
      await storage.grants.revoke(grant.grantId, nowPlus(3))
      await storage.families.revoke(aFamilyRecord().familyId, nowPlus(4))
      await storage.sessions.revoke(aSessionRecord().sessionId, nowPlus(4))
    },
  },
  { name: 'the person is removed', revoked: true, change: (storage) => storage.users.remove(grant.userId, nowPlus(5)) },
]

const clientOf = (storage: OAuthStorage) => storage.clients.find(grant.clientId)
const userOf = (storage: OAuthStorage) => storage.users.find(grant.userId)

/** No single store reads a revoked grant: what it was before, with the revocation and the change that `changes` makes. */
async function grantOf(storage: OAuthStorage) {
  const unrevoked = await storage.grants.findUnrevoked(grant.userId, grant.clientId)
  return unrevoked ?? { ...grant, scopes: ['openid', 'email'], version: 2, revokedAt: nowPlus(3) }
}
