import { clientId, grantId, userId } from '../../values.ts'
import { aGrantRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Grants: a user and a client have at most one unrevoked grant, which is the root of everything issued under it. */
export const grantLaws: readonly StorageLaw[] = [
  law('grants: a user and a client have at most one unrevoked grant', async ({ storage, server, same }) => {
    const inserts = await atOnce(8, (index) =>
      server(index).grants.insert(aGrantRecord({ grantId: grantId(`grant-${index}`) })),
    )
    const existing = await storage.grants.findUnrevoked(grant.userId, grant.clientId)

    same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
    const received = inserts.flatMap((result) => (result.outcome === 'taken' ? [result.record] : []))
    same(
      received,
      Array.from({ length: 7 }, () => existing),
      'the records that the seven received',
    )
    const again = await storage.grants.insert(aGrantRecord({ grantId: grantId('later') }))
    same(again, { outcome: 'taken', record: existing }, 'an insertion after that')
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
