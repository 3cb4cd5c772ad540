import { initialAccessTokenId } from '../../values.ts'
import type { CompleteOAuthStorage } from '../../storage.ts'
import { aDigest, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'
import { anInitialAccessToken } from '../provisioning-fixtures.ts'

/** Initial access tokens: a token can be spent as often as it was created for (RFC 7591 §1.2). */
export const initialAccessTokenLaws: readonly StorageLaw<CompleteOAuthStorage>[] = [
  law(
    'initial access tokens: an identifier is inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).initialAccessTokens.insert(anInitialAccessToken({ displayName: `Name ${index}` })),
      )
      const written = await storage.initialAccessTokens.find(tokenId)

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
      same(await storage.initialAccessTokens.insert(token), { outcome: 'taken' }, 'an insertion after that')
      same(await storage.initialAccessTokens.find(tokenId), written, 'the token after it')
      same(await storage.initialAccessTokens.find(unknown), undefined, 'one that never existed')
    },
  ),

  law(
    'initial access tokens: of 16 concurrent uses of a token for three clients, three succeed',
    async ({ storage, server, same }) => {
      await storage.initialAccessTokens.insert(token)

      const results = await atOnce(16, (index) => server(index).initialAccessTokens.spend(tokenId, digest, now))

      same(tally(results), { spent: 3, exhausted: 13 }, 'outcomes')
      const left = results.flatMap((result) => (result.outcome === 'spent' ? [result.record.remaining] : []))
      same(
        left.toSorted((a, b) => a - b),
        [0, 1, 2],
        'what was left after each',
      )
      same((await storage.initialAccessTokens.find(tokenId))?.remaining, 0, 'what is left')
    },
  ),

  law(
    'initial access tokens: a token that has expired, was revoked or comes with a wrong secret is absent and not spent',
    async ({ storage, same }) => {
      const absent = { outcome: 'absent' }
      await storage.initialAccessTokens.insert(token)

      same(await storage.initialAccessTokens.spend(tokenId, aDigest('wrong'), now), absent, 'with a wrong secret')
      same(await storage.initialAccessTokens.spend(unknown, digest, now), absent, 'an unknown token')
      same(await storage.initialAccessTokens.spend(tokenId, digest, expiresAt), absent, 'in the second it expires')
      same((await storage.initialAccessTokens.spend(tokenId, digest, nowPlus(3599))).outcome, 'spent', 'one before')
      await storage.initialAccessTokens.revoke(tokenId, now)
      same(await storage.initialAccessTokens.spend(tokenId, digest, now), absent, 'a revoked token')
      same((await storage.initialAccessTokens.find(tokenId))?.remaining, 2, 'what is left')
    },
  ),

  law(
    'initial access tokens: a second revocation does not change the time of the first',
    async ({ storage, server, same }) => {
      await storage.initialAccessTokens.insert(token)

      const results = await atOnce(4, (index) => server(index).initialAccessTokens.revoke(tokenId, nowPlus(index)))

      same(tally(results), { revoked: 1, unchanged: 3 }, '4 revocations at once')
      const { revokedAt } = (await storage.initialAccessTokens.find(tokenId)) ?? {}
      same(await storage.initialAccessTokens.revoke(tokenId, nowPlus(60)), { outcome: 'unchanged' }, 'one after that')
      same((await storage.initialAccessTokens.find(tokenId))?.revokedAt, revokedAt, 'the time')
      same(await storage.initialAccessTokens.revoke(unknown, now), { outcome: 'absent' }, 'an unknown token')
    },
  ),

  law(
    'initial access tokens: a list is in the order of identifiers, and can start after a given identifier',
    async ({ storage, same }) => {
      const ids = ['b', 'a', 'c'].map(initialAccessTokenId)
      for (const id of ids) await storage.initialAccessTokens.insert(anInitialAccessToken({ tokenId: id }))

      const first = await storage.initialAccessTokens.list({ after: undefined, limit: 2 })
      const rest = await storage.initialAccessTokens.list({ after: initialAccessTokenId('b'), limit: 2 })

      same(
        first.map((each) => each.tokenId),
        ['a', 'b'],
        'the first page',
      )
      same(
        rest.map((each) => each.tokenId),
        ['c'],
        'the next page',
      )
    },
  ),

  law('initial access tokens: an expired token is purged', async ({ storage, same }) => {
    await storage.initialAccessTokens.insert(token)

    await storage.purge.purgeExpired({ now: nowPlus(3599), limit: 100 })
    same((await storage.initialAccessTokens.find(tokenId))?.tokenId, tokenId, 'one second before it expires')
    await storage.purge.purgeExpired({ now: expiresAt, limit: 100 })
    same(await storage.initialAccessTokens.find(tokenId), undefined, 'after that')
  }),
]

const token = anInitialAccessToken()
const { tokenId, digest, expiresAt } = token
const unknown = initialAccessTokenId('unknown')
