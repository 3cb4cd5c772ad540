import { clientId, sessionId, userId } from '../../values.ts'
import type { SessionRecord } from '../../session.ts'
import { aDigest, aSessionRecord, anOpaqueTokenRecord, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Browser sessions. */
export const sessionLaws: readonly StorageLaw[] = [
  law('sessions: a digest and a session identifier are inserted at most once', async ({ storage, server, same }) => {
    const inserts = await atOnce(8, (index) => server(index).sessions.insert(aSessionRecord({ acr: `acr-${index}` })))
    const written = await storage.status.ofSession(session.digest)
    const sameDigest = await storage.sessions.insert(aSessionRecord({ sessionId: sessionId('session-2') }))
    const sameId = await storage.sessions.insert(aSessionRecord({ digest: aDigest('session-2') }))

    same(tally(inserts), { inserted: 1, taken: 7 }, '8 insertions at once')
    same(sameDigest, { outcome: 'taken' }, 'another session with the same digest')
    same(sameId, { outcome: 'taken' }, 'another session with the same identifier')
    same(await storage.status.ofSession(session.digest), written, 'the session after the refused insertions')
    same(await storage.status.ofSession(aDigest('session-2')), undefined, 'the refused session')
  }),

  law(
    'sessions: touching moves the idle expiry of an unrevoked session, and nothing else',
    async ({ storage, same }) => {
      const revoked = ofAge(2)
      for (const record of [session, revoked]) await storage.sessions.insert(record)
      await storage.sessions.revoke(revoked.sessionId, now)

      await storage.sessions.touch(session.digest, nowPlus(7200))
      await storage.sessions.touch(revoked.digest, nowPlus(7200))
      await storage.sessions.touch(aDigest('unknown'), nowPlus(7200))

      const found = (await storage.status.ofSession(session.digest))?.session
      const idleExpiresAt = found?.idleExpiresAt
      // The write may be lost, but it must not be wrong.
      same(idleExpiresAt === session.idleExpiresAt || idleExpiresAt === nowPlus(7200), true, 'the idle expiry')
      same(found, { ...session, idleExpiresAt }, 'all the rest')
      const ended = (await storage.status.ofSession(revoked.digest))?.session
      same(ended, { ...revoked, revokedAt: now }, 'the revoked session')
    },
  ),

  law('sessions: a revocation is reported once and its first time stays', async ({ storage, server, same }) => {
    await storage.sessions.insert(session)

    const ends = await atOnce(4, (index) => server(index).sessions.revoke(session.sessionId, now))

    same(tally(ends), { revoked: 1, unchanged: 3 }, '4 revocations at once')
    same(await storage.sessions.revoke(session.sessionId, nowPlus(5)), { outcome: 'unchanged' }, 'a later revocation')
    await storage.sessions.touch(session.digest, nowPlus(7200))
    const found = (await storage.status.ofSession(session.digest))?.session
    same(found, { ...session, revokedAt: now }, 'the session as read, after a touch')
    same(await storage.sessions.revoke(sessionId('unknown'), now), { outcome: 'absent' }, 'an unknown session')
  }),

  law("sessions: a user's active sessions are listed newest first", async ({ storage, same }) => {
    const idle = { ...ofAge(3), idleExpiresAt: now }
    const expired = { ...ofAge(5), expiresAt: now }
    const live = [ofAge(4), ofAge(1), { ...ofAge(6), idleExpiresAt: nowPlus(1), expiresAt: nowPlus(1) }, ofAge(0)]
    const others = { ...ofAge(7), userId: userId('user-2') }
    for (const record of [...live, idle, expired, others, ofAge(2)]) await storage.sessions.insert(record)
    await storage.sessions.revoke(ofAge(2).sessionId, now)

    const list = await storage.sessions.listByUser(session.userId, now)

    same(
      list.map(({ sessionId: id }) => id),
      ['session-0', 'session-1', 'session-4', 'session-6'],
      'the list',
    )
    same(list[0], live[3], 'the newest record')
    same(await storage.sessions.listByUser(userId('unknown'), now), [], 'the list of an unknown person')
  }),
]

const session = aSessionRecord()

const ofAge = (age: number): SessionRecord =>
  aSessionRecord({ digest: aDigest(`digest-${age}`), sessionId: sessionId(`session-${age}`), createdAt: nowPlus(-age) })

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
      same(await storage.opaqueTokens.find(aDigest('unknown'), now), undefined, 'a token that was never there')
    },
  ),

  law('opaque tokens: a token is not found from the second in which it expires', async ({ storage, same }) => {
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
