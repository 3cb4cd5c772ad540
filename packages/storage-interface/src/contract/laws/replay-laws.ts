import { keyId } from '../../values.ts'
import type { ReplayOutcome } from '../../outcome.ts'
import type { OAuthStorage } from '../../storage.ts'
import { aSigningKeyRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Values that can be used once (RFC 7523 §3, item 7). */
export const replayLaws: readonly StorageLaw[] = [
  law('replays: a value is fresh once, and seen after that', async ({ storage, same }) => {
    same(await storage.replays.markUsed({ ...use, now }), { outcome: 'fresh' }, 'the first use')
    same(
      await storage.replays.markUsed({ ...use, now: nowPlus(59) }),
      { outcome: 'seen' },
      'the second, one second before expiry',
    )
    same(await storage.replays.markUsed({ ...use, value: 'jti-2', now }), { outcome: 'fresh' }, 'another value')
  }),

  law('replays: of 16 concurrent uses exactly one is fresh', async ({ server, same }) => {
    const results = await atOnce(16, (index) => server(index).replays.markUsed({ ...use, now }))

    same(tally(results), { fresh: 1, seen: 15 }, 'outcomes')
  }),

  law(
    'replays: once its expiry time is reached, a value is fresh again for one use',
    async ({ storage, server, same }) => {
      await storage.replays.markUsed({ ...use, now })

      const next = { ...use, expiresAt: nowPlus(120), now: use.expiresAt }
      same(
        tally(await atOnce(8, (index) => server(index).replays.markUsed(next))),
        { fresh: 1, seen: 7 },
        '8 uses at once',
      )
      same(await useAt(storage, 119), { outcome: 'seen' }, 'a use one second before the new expiry')
      same(await useAt(storage, 120), { outcome: 'fresh' }, 'a use at the new expiry')
    },
  ),

  law('replays: a use with the outcome seen does not change the expiry', async ({ storage, same }) => {
    await storage.replays.markUsed({ ...use, now })
    await storage.replays.markUsed({ ...use, expiresAt: nowPlus(1), now })
    same(await useAt(storage, 59), { outcome: 'seen' }, 'after a use with an earlier expiry')
    await storage.replays.markUsed({ ...use, expiresAt: nowPlus(900), now })
    same(await useAt(storage, 60), { outcome: 'fresh' }, 'after a use with a later expiry')
  }),

  law(
    'replays: using a value does not revoke a token with the same identifier, and revoking a token uses no value',
    async ({ storage, same }) => {
      await storage.replays.markUsed({ ...use, now })
      same(await storage.revocations.isTokenRevoked('jti-1', now), false, 'the token')

      await storage.revocations.revokeToken({ tokenId: 'jti-2', expiresAt: use.expiresAt, now })
      same(await storage.replays.markUsed({ ...use, value: 'jti-2', now }), { outcome: 'fresh' }, 'a use')
    },
  ),

  law('replays: values of any length and content are distinguished', async ({ storage, same }) => {
    const long = 'x'.repeat(100_000)
    const values = [
      `${long}1`,
      `${long}2`,
      `1${long}`,
      '',
      ' ',
      'A',
      'a',
      'é',
      'e\u0301',
      "' OR ''='",
      '__proto__',
      'constructor',
      '😀',
      '\u0000',
    ]

    for (const value of values) {
      same(
        await storage.replays.markUsed({ ...use, value, now }),
        { outcome: 'fresh' },
        `the first use of ${JSON.stringify(value.slice(0, 20))}`,
      )
    }
    for (const value of values) {
      same(
        await storage.replays.markUsed({ ...use, value, now }),
        { outcome: 'seen' },
        `the second use of ${JSON.stringify(value.slice(0, 20))}`,
      )
    }
  }),
]

const use = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: nowPlus(60) } as const

/** Marks the same value as used this many seconds later, for one second. */
const useAt = (storage: OAuthStorage, later: number): Promise<ReplayOutcome> =>
  storage.replays.markUsed({ ...use, expiresAt: nowPlus(later + 1), now: nowPlus(later) })

/** Signing keys: all servers of an issuer sign with the same keys. */
export const signingKeyLaws: readonly StorageLaw[] = [
  law(
    "signing keys: of 8 servers that offer an algorithm's first key, one inserts it",
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).signingKeys.insert(aSigningKeyRecord({ keyId: keyId(`key-${index}`) })),
      )

      same(tally(inserts), { inserted: 1, taken: 7 }, 'outcomes')
      same((await storage.signingKeys.list()).length, 1, 'how many keys there are')
    },
  ),

  law('signing keys: a kid is unique, and each algorithm has its own ordinals', async ({ storage, same }) => {
    const insert = (id: string, algorithm: string, ordinal: number) =>
      storage.signingKeys.insert(aSigningKeyRecord({ keyId: keyId(id), algorithm, ordinal }))

    same(await insert('key-1', 'ES256', 1), { outcome: 'inserted' }, 'the first key')
    same(await insert('key-1', 'RS256', 1), { outcome: 'taken' }, 'its kid again')
    same(await insert('key-2', 'ES256', 1), { outcome: 'taken' }, 'its ordinal again')
    same(await insert('key-2', 'ES256', 2), { outcome: 'inserted' }, 'the next ordinal')
    same(await insert('key-3', 'RS256', 1), { outcome: 'inserted' }, 'the first ordinal of another algorithm')
    same((await storage.signingKeys.list()).length, 3, 'how many keys there are')
  }),

  law('signing keys: all keys are listed, oldest first', async ({ storage, same }) => {
    const records = [3, 1, 2].map((ordinal) =>
      aSigningKeyRecord({ keyId: keyId(`key-${9 - ordinal}`), ordinal, createdAt: nowPlus(ordinal) }),
    )
    same(await storage.signingKeys.list(), [], 'the list before the first')
    for (const record of records) await storage.signingKeys.insert(record)

    same(await storage.signingKeys.list(), [records[1], records[2], records[0]], 'the list')
  }),

  law(
    'signing keys: a key is dropped once, and dropping it again does not change the time',
    async ({ storage, server, same }) => {
      const kept = aSigningKeyRecord({ keyId: keyId('key-2'), ordinal: 2, createdAt: nowPlus(1) })
      for (const record of [key, kept]) await storage.signingKeys.insert(record)

      const dropped = { keyId: key.keyId, droppedAt: now, rowMac: 'bWFjLW9mLWEtZHJvcHBlZC1rZXk' }

      const drops = await atOnce(4, (index) => server(index).signingKeys.drop(dropped))

      same(tally(drops), { revoked: 1, unchanged: 3 }, '4 drops at once')
      same(
        await storage.signingKeys.drop({ ...dropped, droppedAt: nowPlus(5), rowMac: 'bGF0ZXI' }),
        { outcome: 'unchanged' },
        'a later drop',
      )
      same(
        await storage.signingKeys.drop({ ...dropped, keyId: keyId('unknown') }),
        { outcome: 'absent' },
        'an unknown key',
      )
      same(await storage.signingKeys.insert(key), { outcome: 'taken' }, 'the dropped key again')
      same(await storage.signingKeys.list(), [{ ...key, ...dropped }, kept], 'the list')
    },
  ),

  law('signing keys: removing a key removes only that key', async ({ storage, server, same }) => {
    const kept = aSigningKeyRecord({ keyId: keyId('key-2'), algorithm: 'RS256' })
    for (const record of [key, kept]) await storage.signingKeys.insert(record)

    const removals = await atOnce(4, (index) => server(index).signingKeys.remove(key.keyId))

    same(tally(removals), { removed: 1, absent: 3 }, '4 removals at once')
    same(await storage.signingKeys.list(), [kept], 'the list')
  }),
]

const key = aSigningKeyRecord()
