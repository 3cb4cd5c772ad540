import { sessionId, userId } from '../../identifiers.ts'
import type { SessionRecord } from '../../session.ts'
import { atOnce, tally } from '../law.ts'
import { law, type StorageLaw } from '../law.ts'
import { aDigest } from '../records/a-digest.ts'
import { aSessionRecord } from '../records/a-session.ts'
import { now, nowPlus } from '../records/moments.ts'

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
      // The move may be lost; it may not be wrong.
      same(idleExpiresAt === session.idleExpiresAt || idleExpiresAt === nowPlus(7200), true, 'the idle expiry')
      same(found, { ...session, idleExpiresAt }, 'all the rest')
      const ended = (await storage.status.ofSession(revoked.digest))?.session
      same(ended, { ...revoked, revokedAt: now }, 'the revoked session')
    },
  ),

  law('sessions: a revocation is told once and its first time stays', async ({ storage, server, same }) => {
    await storage.sessions.insert(session)

    const ends = await atOnce(4, (index) => server(index).sessions.revoke(session.sessionId, now))

    same(tally(ends), { ended: 1, unchanged: 3 }, '4 revocations at once')
    same(await storage.sessions.revoke(session.sessionId, nowPlus(5)), { outcome: 'unchanged' }, 'a later revocation')
    await storage.sessions.touch(session.digest, nowPlus(7200))
    const found = (await storage.status.ofSession(session.digest))?.session
    same(found, { ...session, revokedAt: now }, 'the session as read, after a touch')
    same(await storage.sessions.revoke(sessionId('unknown'), now), { outcome: 'absent' }, 'an unknown session')
  }),

  law("sessions: a person's live sessions are listed newest first", async ({ storage, same }) => {
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
