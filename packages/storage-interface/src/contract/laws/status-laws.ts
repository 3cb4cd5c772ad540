import { familyId, grantId, clientId, sessionId, userId } from '../../values.ts'
import { statusClients, type StatusClient } from '../../client.ts'
import type { OAuthStorage } from '../../storage.ts'
import {
  aClientRecord,
  aDigest,
  aFamilyRecord,
  aGrantRecord,
  aSessionEnd,
  aSessionRecord,
  aUser,
  now,
  nowPlus,
} from '../fixtures.ts'
import { type StorageLaw, law } from '../law.ts'

/** Joined reads return the rows as their own stores return them, whatever was revoked or removed. */
export const statusLaws: readonly StorageLaw[] = [
  law(
    'status: ofGrant returns a grant with its client, its user and a session, as their stores return them',
    async (trial) => {
      const { storage, same } = trial
      await insertAll(storage)
      for (const step of changes) {
        await step.change(storage)
        const expected = { grant: await grantOf(storage), client: await clientOf(storage), user: await userOf(storage) }
        same(shownStatus(await storage.status.ofGrant(grant.grantId)), expected, step.name)
        const session = await boundOf(storage)
        const ofGrant = await storage.status.ofGrant(grant.grantId, boundTo)
        same(shownStatus(ofGrant), { ...expected, session }, `${step.name}, bound`)
      }
      same(await storage.status.ofGrant(grantId('unknown'), boundTo), undefined, 'an unknown grant')
    },
  ),

  law(
    'status: ofFamily and ofRefreshHandle return a family with its grant, client, user and session',
    async ({ storage, same }) => {
      await insertAll(storage)
      for (const step of changes) {
        await step.change(storage)
        const family = step.revoked ? { ...bound, revokedAt: nowPlus(4) } : bound
        const expected = {
          family,
          grant: await grantOf(storage),
          client: await clientOf(storage),
          user: await userOf(storage),
          session: await boundOf(storage),
        }
        same(shownStatus(await storage.status.ofFamily(family.familyId)), expected, `by identifier: ${step.name}`)
        same(
          shownStatus(await storage.status.ofRefreshHandle(aDigest('handle-1'))),
          expected,
          `by handle: ${step.name}`,
        )
      }
      same(await storage.status.ofFamily(familyId('unknown')), undefined, 'an unknown family')
      same(await storage.status.ofRefreshHandle(aDigest('unknown')), undefined, 'an unknown handle')
    },
  ),

  law('status: ofAccessToken returns what ofFamily returns, unless the token was revoked', async (trial) => {
    const { storage, same } = trial
    await insertAll(storage)
    const { familyId: owner } = bound
    await storage.revocations.revokeToken({ tokenId: 'jti-1', expiresAt: nowPlus(60), now })
    const expected = await storage.status.ofFamily(owner)
    const ofToken = (tokenId: string, at = now) => storage.status.ofAccessToken({ familyId: owner, tokenId, now: at })

    same(await ofToken('jti-2'), expected, 'a token that was not revoked')
    same(await ofToken('JTI-1'), expected, 'an identifier that differs in case')
    same(await ofToken('jti-1'), undefined, 'a revoked token')
    same(await ofToken('jti-1', nowPlus(59)), undefined, 'until it expires')
    same(await ofToken('jti-1', nowPlus(60)), expected, 'from then on')
    const unknown = { familyId: familyId('unknown'), tokenId: 'jti-2', now }
    same(await storage.status.ofAccessToken(unknown), undefined, 'an unknown family')
    await storage.families.revoke(owner, nowPlus(1))
    same((await ofToken('jti-2'))?.family.revokedAt, nowPlus(1), 'a revoked family')
  }),

  law('status: ofSession returns a session with its user', async ({ storage, same }) => {
    await insertAll(storage)
    for (const step of changes) {
      await step.change(storage)
      const session = await storage.sessions.find(boundTo)
      same(session?.revokedAt, step.revoked ? nowPlus(4) : undefined, `the end, ${step.name}`)
      same(await storage.status.ofSession(aSessionRecord().digest), { session, user: await userOf(storage) }, step.name)
    }
    same(await storage.status.ofSession(aDigest('unknown')), undefined, 'an unknown session')
  }),

  law('status: ofFamilies returns the families that exist, each as ofFamily does', async ({ storage, same }) => {
    await insertAll(storage)
    const other = aFamilyRecord({
      familyId: familyId('family-2'),
      refresh: undefined,
      lineage: { parents: [bound.familyId], tokenIds: ['token-1'], act: { sub: 'client-1' } },
    })
    await storage.families.insert(other)
    const ids = [bound.familyId, other.familyId]
    const expected = await Promise.all(ids.map((id) => storage.status.ofFamily(id)))

    for (const asked of [ids, [...ids, familyId('unknown')], [familyId('unknown'), ...ids, familyId('gone')]]) {
      const found = await storage.status.ofFamilies(asked)
      same(
        found.toSorted((a, b) => (a.family.familyId < b.family.familyId ? -1 : 1)),
        expected,
        `of ${asked.length} identifiers`,
      )
    }
    same(await storage.status.ofFamilies([familyId('unknown')]), [], 'of an unknown one')
  }),

  law('status: a missing related row is undefined, and the row itself is found', async ({ storage, same }) => {
    await storage.grants.insert(grant)
    await storage.families.insert(
      aFamilyRecord({
        grantId: grantId('gone'),
        clientId: clientId('gone'),
        userId: userId('gone'),
        boundSessionId: sessionId('gone'),
      }),
    )
    await storage.sessions.insert(aSessionRecord())

    const alone = { grant, client: undefined, user: undefined, session: undefined }
    same(await storage.status.ofGrant(grant.grantId, sessionId('gone')), alone, 'a grant')
    const status = await storage.status.ofFamily(aFamilyRecord().familyId)
    same({ ...status, family: undefined }, {}, 'the other rows of a family')
    same(status === undefined, false, 'whether the family is found')
    const ofSession = await storage.status.ofSession(aSessionRecord().digest)
    same(ofSession, { session: aSessionRecord(), user: undefined }, 'a session')
  }),
]

async function insertAll(storage: OAuthStorage): Promise<void> {
  await storage.clients.insert(aClientRecord())
  await storage.users.insert(aUser())
  await storage.grants.insert(grant)
  await storage.families.insert(bound)
  await storage.sessions.insert(aSessionRecord())
}

/** Changes to the rows, applied one after the other. */
const changes: readonly {
  readonly name: string
  readonly revoked: boolean
  change(storage: OAuthStorage): Promise<unknown>
}[] = [
  { name: 'all in use', revoked: false, change: async () => undefined },
  {
    name: 'the user is deactivated',
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
      storage.grants.replaceConsent({
        grantId: grant.grantId,
        scopes: ['openid', 'email'],
        resources: [],
        authorizationDetails: [],
        clientDigest: undefined,
        version: 1,
      }),
  },
  {
    name: 'grant, family and session are revoked',
    revoked: true,
    change: async (storage) => {
      await storage.grants.revoke(grant.grantId, nowPlus(3))
      await storage.families.revoke(aFamilyRecord().familyId, nowPlus(4))
      await storage.sessions.revoke(aSessionEnd({ now: nowPlus(4) }))
    },
  },
  { name: 'the user is removed', revoked: true, change: (storage) => storage.users.remove(grant.userId, nowPlus(5)) },
]

/** A store may return the whole client; the law is about the members that a status needs. */
const shownStatus = <Status extends { readonly client: StatusClient | undefined }>(status: Status | undefined) =>
  status && { ...status, client: shownClient(status.client) }

const shownClient = (client: StatusClient | undefined) =>
  client && Object.fromEntries(Object.entries(client).filter(([member]) => Object.hasOwn(statusClients.fields, member)))

/** Returns the part of the session that its tokens depend on. */
async function boundOf({ sessions }: OAuthStorage) {
  const session = await sessions.find(boundTo)
  return { sessionId: boundTo, userId: session?.userId, revokedAt: session?.revokedAt }
}

const grant = aGrantRecord()
const boundTo = aSessionRecord().sessionId
const bound = aFamilyRecord({ boundSessionId: boundTo })

const clientOf = async ({ clients }: OAuthStorage) => shownClient(await clients.find(grant.clientId))
const userOf = (storage: OAuthStorage) => storage.users.find(grant.userId)

/** Returns the expected grant. No other store reads a revoked grant; then it is the first grant with what `changes` changed. */
async function grantOf(storage: OAuthStorage) {
  const unrevoked = await storage.grants.findUnrevoked(grant.userId, grant.clientId)
  return unrevoked ?? { ...grant, scopes: ['openid', 'email'], version: 2, revokedAt: nowPlus(3) }
}
