import { clientId } from '../../values.ts'
import { aDigest, anOpaqueTokenRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Opaque access tokens (RFC 7009 §2.1). */
export const opaqueTokenLaws: readonly StorageLaw[] = [
  law(
    'opaque tokens: a digest is inserted at most once, and the first record stays',
    async ({ storage, server, same }) => {
      const inserts = await atOnce(8, (index) =>
        server(index).opaqueTokens.insert(anOpaqueTokenRecord({ claims: { index } })),
      )
      const written = await storage.opaqueTokens.find(token.digest, now)

      same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
      same(
        await storage.opaqueTokens.insert(anOpaqueTokenRecord({ claims: {} })),
        { outcome: 'taken' },
        'an insertion after that',
      )
      same(await storage.opaqueTokens.find(token.digest, now), written, 'the token after it')
      same(await storage.opaqueTokens.find(aDigest('unknown'), now), undefined, 'a token that never existed')
    },
  ),

  law('opaque tokens: a token is not found once its expiry time is reached', async ({ storage, same }) => {
    await storage.opaqueTokens.insert(token)

    same(await storage.opaqueTokens.find(token.digest, token.expiresAt), undefined, 'at expiry')
    same(await storage.opaqueTokens.find(token.digest, nowPlus(299)), token, 'one second before')
  }),

  law(
    'opaque tokens: a revoked token is not found, and the revocation is reported once',
    async ({ storage, server, same }) => {
      await storage.opaqueTokens.insert(token)

      const ends = await atOnce(4, (index) => server(index).opaqueTokens.revoke(token.digest, token.clientId, now))

      same(tally(ends), { revoked: 1, unchanged: 3 }, '4 revocations at once')
      same(await storage.opaqueTokens.find(token.digest, now), undefined, 'the revoked token')
      same(await storage.opaqueTokens.insert(token), { outcome: 'taken' }, 'an insertion of the same digest')
      same(await storage.opaqueTokens.find(token.digest, now), undefined, 'the token after the insertion')
    },
  ),

  law('opaque tokens: a token is revoked only by the client it was issued to', async ({ storage, same }) => {
    await storage.opaqueTokens.insert(token)

    const foreign = await storage.opaqueTokens.revoke(token.digest, clientId('client-2'), now)

    same(foreign, { outcome: 'absent' }, "another client's revocation")
    same(await storage.opaqueTokens.find(token.digest, now), token, 'the token after it')
    const unknown = await storage.opaqueTokens.revoke(aDigest('unknown'), token.clientId, now)
    same(unknown, { outcome: 'absent' }, 'an unknown token')
    same(await storage.opaqueTokens.revoke(token.digest, token.clientId, now), { outcome: 'revoked' }, 'its own client')
    const late = await storage.opaqueTokens.revoke(token.digest, clientId('client-2'), now)
    same(late, { outcome: 'absent' }, 'another client, once it is revoked')
  }),
]

const token = anOpaqueTokenRecord()
