import type { ReplayOutcome } from '../../outcome.ts'
import type { OAuthStorage } from '../../storage.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { now, nowPlus } from '../records/moments.ts'

/** Values that count once (RFC 7523 §3, item 7). */
export const replayLaws: readonly StorageLaw[] = [
  law('claims: a value is fresh once, and seen after that', async ({ storage, same }) => {
    same(await storage.replays.markUsed({ ...claim, now }), { outcome: 'fresh' }, 'the first claim')
    same(
      await storage.replays.markUsed({ ...claim, now: nowPlus(59) }),
      { outcome: 'seen' },
      'the second, one second before expiry',
    )
    same(await storage.replays.markUsed({ ...claim, value: 'jti-2', now }), { outcome: 'fresh' }, 'another value')
  }),

  law('claims: of 16 claims at once exactly one is fresh', async ({ server, same }) => {
    const results = await atOnce(16, (index) => server(index).replays.markUsed({ ...claim, now }))

    same(tally(results), { fresh: 1, seen: 15 }, 'outcomes')
  }),

  law(
    'claims: from the second in which it expires a value may be claimed again, by one',
    async ({ storage, server, same }) => {
      await storage.replays.markUsed({ ...claim, now })

      const next = { ...claim, expiresAt: nowPlus(120), now: claim.expiresAt }
      same(
        tally(await atOnce(8, (index) => server(index).replays.markUsed(next))),
        { fresh: 1, seen: 7 },
        '8 claims at once',
      )
      same(await claimAt(storage, 119), { outcome: 'seen' }, 'a claim one second before the new expiry')
      same(await claimAt(storage, 120), { outcome: 'fresh' }, 'a claim at the new expiry')
    },
  ),

  law('claims: a claim that is seen does not move the expiry', async ({ storage, same }) => {
    await storage.replays.markUsed({ ...claim, now })
    await storage.replays.markUsed({ ...claim, expiresAt: nowPlus(1), now })
    same(await claimAt(storage, 59), { outcome: 'seen' }, 'after a claim with an earlier expiry')
    await storage.replays.markUsed({ ...claim, expiresAt: nowPlus(900), now })
    same(await claimAt(storage, 60), { outcome: 'fresh' }, 'after a claim with a later expiry')
  }),

  law('claims: a value is another thing than a token of the same name that was ended', async ({ storage, same }) => {
    await storage.replays.markUsed({ ...claim, now })
    same(await storage.revocations.isTokenRevoked('jti-1', now), false, 'the token')

    await storage.revocations.revokeToken({ tokenId: 'jti-2', expiresAt: claim.expiresAt, now })
    same(await storage.replays.markUsed({ ...claim, value: 'jti-2', now }), { outcome: 'fresh' }, 'a claim')
  }),

  law('claims: values of any length and content are told apart', async ({ storage, same }) => {
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
        await storage.replays.markUsed({ ...claim, value, now }),
        { outcome: 'fresh' },
        `claiming ${JSON.stringify(value.slice(0, 20))}`,
      )
    }
    for (const value of values) {
      same(
        await storage.replays.markUsed({ ...claim, value, now }),
        { outcome: 'seen' },
        `again ${JSON.stringify(value.slice(0, 20))}`,
      )
    }
  }),
]

const claim = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: nowPlus(60) } as const

/** Claims the same value so many seconds later, for a second. */
const claimAt = (storage: OAuthStorage, later: number): Promise<ReplayOutcome> =>
  storage.replays.markUsed({ ...claim, expiresAt: nowPlus(later + 1), now: nowPlus(later) })
