import { clientId, familyId, grantId, sessionId, userId } from '../../values.ts'
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
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Grants: at most one unrevoked grant for each user and client, and the root of all that was issued under it. */
export const grantLaws: readonly StorageLaw[] = [
  law('grants: a user and a client have at most one unrevoked grant', async ({ storage, server, same }) => {
    const inserts = await atOnce(8, (index) =>
      server(index).grants.insert(aGrantRecord({ grantId: grantId(`grant-${index}`) })),
    )
    const joining = await storage.grants.findUnrevoked(grant.userId, grant.clientId)

    same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
    const received = inserts.flatMap((result) => (result.outcome === 'taken' ? [result.record] : []))
    same(
      received,
      Array.from({ length: 7 }, () => joining),
      'the records that the seven received',
    )
    const again = await storage.grants.insert(aGrantRecord({ grantId: grantId('later') }))
    same(again, { outcome: 'taken', record: joining }, 'an insertion after that')
  }),

  law('grants: each pair of user and client has its own grant', async ({ storage, same }) => {
    const others = [
      aGrantRecord({ grantId: grantId('grant-2'), clientId: clientId('client-2') }),
      aGrantRecord({ grantId: grantId('grant-3'), userId: userId('user-2') }),
    ]

    for (const record of [grant, ...others])
      same(await storage.grants.insert(record), { outcome: 'inserted' }, record.grantId)
    for (const record of [grant, ...others]) {
      same(await storage.grants.findUnrevoked(record.userId, record.clientId), record, record.grantId)
    }
    same(
      await storage.grants.findUnrevoked(userId('user-2'), clientId('client-2')),
      undefined,
      'a pair without a grant',
    )
  }),

  law('grants: after a revocation, a new grant can be inserted', async ({ storage, same }) => {
    await storage.grants.insert(grant)
    await storage.grants.revoke(grant.grantId, nowPlus(1))
    const next = aGrantRecord({ grantId: grantId('grant-2') })

    same(await storage.grants.findUnrevoked(grant.userId, grant.clientId), undefined, 'the pair after the revocation')
    same(await storage.grants.insert(next), { outcome: 'inserted' }, 'a new grant')
    same(await storage.grants.findUnrevoked(grant.userId, grant.clientId), next, 'the pair after that')
    same(await storage.grants.revoke(grant.grantId, nowPlus(2)), { outcome: 'unchanged' }, 'revoking the old one again')
    same(await storage.grants.findUnrevoked(grant.userId, grant.clientId), next, 'the new grant after that')
  }),

  law(
    'grants: a revocation is reported once, and a later one does not change its time',
    async ({ storage, server, same }) => {
      await storage.grants.insert(grant)

      const ends = await atOnce(4, (index) => server(index).grants.revoke(grant.grantId, now))

      same(tally(ends), { revoked: 1, unchanged: 3 }, '4 revocations at once')
      same(await storage.grants.revoke(grant.grantId, nowPlus(5)), { outcome: 'unchanged' }, 'a later revocation')
      same((await storage.status.ofGrant(grant.grantId))?.grant, { ...grant, revokedAt: now }, 'the grant as read')
      same(await storage.grants.revoke(grantId('unknown'), now), { outcome: 'absent' }, 'an unknown grant')
    },
  ),

  law(
    'grants: of concurrent writers that read the same version, one replaces the consent',
    async ({ storage, server, same }) => {
      await storage.grants.insert(grant)
      const change = {
        grantId: grant.grantId,
        resources: ['https://api.example'],
        authorizationDetails: [{ type: 'payment' }],
        clientDigest: 'digest-2',
        version: 1,
      }

      const results = await atOnce(8, (index) =>
        server(index).grants.replaceConsent({ ...change, scopes: ['openid', `s-${index}`] }),
      )

      same(tally(results), { swapped: 1, conflict: 7 }, '8 writers at once')
      const won = results.find((result) => result.outcome === 'swapped')
      const found = await storage.grants.findUnrevoked(grant.userId, grant.clientId)
      same(won?.outcome === 'swapped' && won.record, found, 'the record that the winner received')
      same(
        { ...found, scopes: grant.scopes },
        {
          ...grant,
          resources: change.resources,
          authorizationDetails: change.authorizationDetails,
          clientDigest: change.clientDigest,
          version: 2,
        },
        'all but the scopes',
      )
      same(await storage.grants.replaceConsent({ ...change, scopes: [] }), { outcome: 'conflict' }, 'a later writer')
      same(
        (await storage.grants.replaceConsent({ ...change, version: 2, scopes: [] })).outcome,
        'swapped',
        'with the new version',
      )
    },
  ),

  law('grants: the consent of a revoked grant cannot be replaced', async ({ storage, same }) => {
    await storage.grants.insert(grant)
    await storage.grants.revoke(grant.grantId, now)
    const change = {
      scopes: ['openid', 'email'],
      resources: [],
      authorizationDetails: [],
      clientDigest: undefined,
      version: 1,
    }

    same(
      await storage.grants.replaceConsent({ ...change, grantId: grant.grantId }),
      { outcome: 'absent' },
      'the revoked grant',
    )
    same(
      await storage.grants.replaceConsent({ ...change, grantId: grantId('unknown') }),
      { outcome: 'absent' },
      'an unknown grant',
    )
    same((await storage.status.ofGrant(grant.grantId))?.grant.scopes, grant.scopes, 'the scopes as read')
  }),

  law("grants: a user's unrevoked grants are listed newest first", async ({ storage, same }) => {
    const records = [3, 1, 4, 2, 0].map((age) =>
      aGrantRecord({ grantId: grantId(`grant-${age}`), clientId: clientId(`client-${age}`), createdAt: nowPlus(-age) }),
    )
    for (const record of records) await storage.grants.insert(record)
    await storage.grants.insert(aGrantRecord({ grantId: grantId('others'), userId: userId('user-2') }))
    await storage.grants.revoke(grantId('grant-2'), now)

    const list = await storage.grants.listByUser(grant.userId)

    same(
      list.map(({ grantId: id }) => id),
      ['grant-0', 'grant-1', 'grant-3', 'grant-4'],
      'the list',
    )
    same(list[0], records[4], 'the newest record')
    same(await storage.grants.listByUser(userId('unknown')), [], 'the list of an unknown user')
  }),
]

const grant = aGrantRecord()

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
        same(await storage.status.ofGrant(grant.grantId), expected, step.name)
        const session = await boundOf(storage)
        same(await storage.status.ofGrant(grant.grantId, boundTo), { ...expected, session }, `${step.name}, bound`)
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
        same(await storage.status.ofFamily(family.familyId), expected, `by identifier: ${step.name}`)
        same(await storage.status.ofRefreshHandle(aDigest('handle-1')), expected, `by handle: ${step.name}`)
      }
      same(await storage.status.ofFamily(familyId('unknown')), undefined, 'an unknown family')
      same(await storage.status.ofRefreshHandle(aDigest('unknown')), undefined, 'an unknown handle')
    },
  ),

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

/** The part of the session that tokens bound to it depend on. */
async function boundOf({ sessions }: OAuthStorage) {
  const session = await sessions.find(boundTo)
  return { sessionId: boundTo, userId: session?.userId, revokedAt: session?.revokedAt }
}

const boundTo = aSessionRecord().sessionId
const bound = aFamilyRecord({ boundSessionId: boundTo })

const clientOf = (storage: OAuthStorage) => storage.clients.find(grant.clientId)
const userOf = (storage: OAuthStorage) => storage.users.find(grant.userId)

/** No single store reads a revoked grant: what it was before, with the revocation and the change that `changes` makes. */
async function grantOf(storage: OAuthStorage) {
  const unrevoked = await storage.grants.findUnrevoked(grant.userId, grant.clientId)
  return unrevoked ?? { ...grant, scopes: ['openid', 'email'], version: 2, revokedAt: nowPlus(3) }
}
