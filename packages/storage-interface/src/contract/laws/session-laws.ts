// One file, because a session and its participants are written in the same step.
import { after, clientId, sessionId, userId, type EpochSeconds } from '../../values.ts'
import { revocationRetention } from '../../revocation.ts'
import type { SessionJoin, SessionParticipantRecord, SessionRecord } from '../../session.ts'
import type { OAuthStorage } from '../../storage.ts'
import { aDigest, aJoin, aSessionEnd, aSessionRecord, aUser, now, nowPlus } from '../fixtures.ts'
import { type StorageLaw, atOnce, law, tally } from '../law.ts'

/** Sessions with a cookie, and sessions of the host. */
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
    same(await storage.sessions.find(sessionId('session-2')), undefined, 'the refused session by its identifier')
  }),

  law('sessions: touch changes the times of use of an unrevoked session, and nothing else', async (trial) => {
    const { storage, same } = trial
    const revoked = ofAge(2)
    for (const record of [session, revoked]) await storage.sessions.insert(record)
    await storage.sessions.revoke(aSessionEnd({ sessionId: revoked.sessionId }))

    const use = { idleExpiresAt: nowPlus(7200), lastSeenAt: nowPlus(3000) }
    for (const digest of [session.digest, revoked.digest, aDigest('unknown')]) await storage.sessions.touch(digest, use)

    const found = await storage.sessions.find(session.sessionId)
    // The write may be lost, but it must not be wrong.
    const isLost = found?.idleExpiresAt === session.idleExpiresAt
    same(found, isLost ? session : { ...session, ...use }, 'the session')
    same(await storage.sessions.find(revoked.sessionId), revokedAs(revoked, 'user', now), 'the revoked session')
  }),

  law(
    'sessions: a revocation is reported once, and a later one changes neither its time nor its reason',
    async (trial) => {
      const { storage, server, same } = trial
      await storage.sessions.insert(session)

      const ends = await atOnce(4, (index) => server(index).sessions.revoke(aSessionEnd()))

      same(tally(ends), { revoked: 1, unchanged: 3 }, '4 revocations at once')
      for (const tombstoneUntil of [undefined, nowPlus(900_000)]) {
        const later = aSessionEnd({ reason: 'administrator', now: nowPlus(5), tombstoneUntil })
        same(await storage.sessions.revoke(later), { outcome: 'unchanged' }, 'a later revocation')
      }
      await storage.sessions.touch(session.digest, { idleExpiresAt: nowPlus(7200), lastSeenAt: nowPlus(7) })
      same(await storage.sessions.find(session.sessionId), revokedAs(session, 'user', now), 'as read, after a touch')
      const unknown = aSessionEnd({ sessionId: sessionId('unknown') })
      same(await storage.sessions.revoke(unknown), { outcome: 'absent' }, 'an unknown session')
      same(await storage.sessions.find(unknown.sessionId), undefined, 'the unknown session after that')
    },
  ),

  law('sessions: a renewed session has a new cookie and sign-in, and keeps its clients', async ({ storage, same }) => {
    await storage.sessions.insert(session)
    await storage.sessions.join(aJoin())
    const kept = { createdAt: now, keptUntil: aJoin().session.keptUntil }
    const again = aSessionRecord({
      digest: aDigest('session-2'),
      userGeneration: 3,
      authTime: nowPlus(9),
      acr: 'gold',
      amr: ['otp'],
      userAgent: 'Browser',
      location: 'Zürich',
      createdAt: nowPlus(9),
      lastSeenAt: nowPlus(9),
      idleExpiresAt: nowPlus(4000),
      expiresAt: nowPlus(90_000),
      keptUntil: nowPlus(9),
    })

    const foreign = { ...again, userId: userId('user-2') }
    same(await storage.sessions.renew(foreign), { outcome: 'absent' }, "another user's")
    same(await storage.sessions.renew({ ...again, sessionId: sessionId('unknown') }), { outcome: 'absent' }, 'unknown')
    same(await storage.sessions.renew(again), { outcome: 'renewed' }, 'the renewal')

    same(await storage.status.ofSession(session.digest), undefined, 'the old cookie')
    same((await storage.status.ofSession(again.digest))?.session, { ...again, ...kept }, 'the new cookie')
    same((await storage.sessions.participants(session.sessionId)).length, 1, 'the clients')
    await storage.sessions.revoke(aSessionEnd())
    same(await storage.sessions.renew(session), { outcome: 'absent' }, 'a renewal after the end')
    same((await storage.sessions.find(session.sessionId))?.revokedAt, now, 'the end')
  }),

  law("sessions: a user's active sessions are listed newest first", async ({ storage, same }) => {
    const idle = { ...ofAge(3), idleExpiresAt: now }
    const expired = { ...ofAge(5), expiresAt: now }
    const active = [ofAge(4), ofAge(1), { ...ofAge(6), idleExpiresAt: nowPlus(1), expiresAt: nowPlus(1) }, ofAge(0)]
    const foreign = { ...ofAge(7), userId: userId('user-2') }
    for (const record of [...active, idle, expired, foreign, ofAge(2)]) await storage.sessions.insert(record)
    await storage.sessions.revoke(aSessionEnd({ sessionId: ofAge(2).sessionId }))
    await storage.sessions.insert(ofHost(8, nowPlus(1)))
    await storage.sessions.insert(ofHost(9, now))

    const list = await storage.sessions.listByUser(session.userId, now)

    same(
      list.map(({ sessionId: id }) => id),
      ['session-0', 'session-1', 'session-4', 'session-6', 'session-8'],
      'the list',
    )
    same(list[0], active[3], 'the newest record')
    same(await storage.sessions.listByUser(userId('unknown'), now), [], 'the list of an unknown user')
  }),

  law('sessions: revokeOfUser leaves the user without an unrevoked session', async ({ storage, same }) => {
    const own = [ofAge(0), { ...ofAge(1), idleExpiresAt: now }, ofHost(2, nowPlus(60))]
    const foreign = { ...ofAge(3), userId: userId('user-2') }
    for (const record of [...own, foreign, ofAge(4)]) await storage.sessions.insert(record)
    await storage.sessions.revoke(aSessionEnd({ sessionId: ofAge(4).sessionId, reason: 'client' }))

    const revoked = await storage.sessions.revokeOfUser(session.userId, 'host', nowPlus(1))

    same(revoked.toSorted(), ['session-0', 'session-1', 'session-2'], 'the revoked sessions')
    for (const record of own)
      same(await storage.sessions.find(record.sessionId), revokedAs(record, 'host', nowPlus(1)), record.sessionId)
    same((await storage.sessions.find(ofAge(4).sessionId))?.endReason, 'client', 'a session revoked before')
    same(await storage.sessions.find(foreign.sessionId), foreign, "another user's session")
    same(await storage.sessions.revokeOfUser(session.userId, 'user', nowPlus(2)), [], 'a second call')
  }),
]

/** The clients that join a session. */
export const participantLaws: readonly StorageLaw[] = [
  law('sessions: the first join inserts a session of the host, and later joins update its times', async (trial) => {
    const { storage, same } = trial
    const first = aJoin({ acr: 'gold', userAgent: 'Browser', location: 'Zürich', keptUntil: nowPlus(500) })

    same(await storage.sessions.join(first), { outcome: 'joined' }, 'the first join')
    const stored = { ...withoutCookie, ...first.session, createdAt: now, lastSeenAt: now }
    same(await storage.sessions.find(first.session.sessionId), stored, 'the session')
    const second = aJoin({ clientId: clientId('client-2'), now: nowPlus(9), keptUntil: nowPlus(400), acr: 'other' })
    same(await storage.sessions.join(second), { outcome: 'joined' }, 'the second join')
    const used = { ...stored, lastSeenAt: nowPlus(9) }
    same(await storage.sessions.find(first.session.sessionId), used, 'after a join that needs it for a shorter time')
    await storage.sessions.join(aJoin({ now: nowPlus(3), keptUntil: nowPlus(900) }))
    const kept = { ...used, keptUntil: nowPlus(900) }
    same(await storage.sessions.find(first.session.sessionId), kept, 'after a join that needs it for longer')
  }),

  law('sessions: a join does not change the cookie and the sign-in of a stored session', async (trial) => {
    const { storage, same } = trial
    await storage.sessions.insert(session)

    same(
      await storage.sessions.join(aJoin({ now: nowPlus(3), acr: 'other', userGeneration: 7 })),
      joinedOutcome,
      'the join',
    )

    const expected = { ...session, lastSeenAt: nowPlus(3), keptUntil: aJoin().session.keptUntil }
    same((await storage.status.ofSession(session.digest))?.session, expected, 'the session')
  }),

  law('sessions: each client of a session is listed with its first and its last join', async (trial) => {
    const { storage, server, same } = trial
    const clients = ['client-2', 'client-1', 'Client-3'].map(clientId)
    const joins = await atOnce(6, (index) =>
      server(index).sessions.join(aJoin({ clientId: clients[index % 3] ?? clientId('') })),
    )
    for (const at of [nowPlus(8), nowPlus(5)]) await storage.sessions.join(aJoin({ now: at }))
    await storage.sessions.join(aJoin({ sessionId: sessionId('session-2') }))

    same(tally(joins), { joined: 6 }, '6 joins at once')
    const expected = [participant('Client-3'), participant('client-1', [now, nowPlus(8)]), participant('client-2')]
    same(await storage.sessions.participants(session.sessionId), expected, 'the participants')
    await storage.sessions.revoke(aSessionEnd())
    same(await storage.sessions.participants(session.sessionId), expected, 'the participants of the ended session')
    same(await storage.sessions.participants(sessionId('unknown')), [], 'the participants of an unknown session')
  }),

  law('sessions: no client can join a session that was revoked', async ({ storage, same }) => {
    await storage.sessions.insert(session)
    await storage.sessions.join(aJoin())
    await storage.sessions.revoke(aSessionEnd({ now: nowPlus(1) }))
    const ended = await storage.sessions.find(session.sessionId)

    for (const client of ['client-1', 'client-2'])
      same(await storage.sessions.join(aJoin({ clientId: clientId(client), now: nowPlus(2) })), endedOutcome, client)

    same(await storage.sessions.participants(session.sessionId), [participant('client-1')], 'participants')
    same(await storage.sessions.find(session.sessionId), ended, 'the session')
  }),

  law(
    'sessions: a client that joins during a revocation becomes a participant, or gets the outcome ended',
    async (trial) => {
      const { storage, server, same } = trial
      for (const name of ['session-a', 'session-b', 'session-c'].map(sessionId)) {
        if (name !== sessionId('session-c')) await storage.sessions.join(aJoin({ sessionId: name }))
        const joining = atOnce(6, async (index) => {
          const client = clientId(`client-${index + 2}`)
          return { client, ...(await server(index).sessions.join(aJoin({ sessionId: name, clientId: client }))) }
        })
        const end = aSessionEnd({ sessionId: name, tombstoneUntil: nowPlus(60) })
        const [results, ending] = await Promise.all([joining, server(1).sessions.revoke(end)])

        same(ending, { outcome: 'revoked' }, 'the end')
        const joinedClients = results.filter(({ outcome }) => outcome === 'joined').map(({ client }) => client)
        const present = (await storage.sessions.participants(name)).map(({ clientId: id }) => id)
        same(
          present.filter((id) => id !== clientId('client-1')),
          joinedClients,
          'the clients that joined',
        )
        same(await storage.sessions.join(aJoin({ sessionId: name })), endedOutcome, 'a join after the end')
      }
    },
  ),

  law(
    'sessions: a session that was never stored can be revoked, and no client can join it afterwards',
    async ({ storage, same }) => {
      const end = aSessionEnd({ reason: 'host', tombstoneUntil: nowPlus(700_000) })

      same(await storage.sessions.revoke(end), { outcome: 'revoked' }, 'the end')
      same(await storage.sessions.revoke(end), { outcome: 'unchanged' }, 'a second end')
      same(await storage.sessions.join(aJoin()), endedOutcome, 'a join')
      same(await storage.sessions.participants(session.sessionId), [], 'the participants')
      const { sessionId: id } = session
      const stored = { ...withoutCookie, sessionId: id, userGeneration: 0, amr: [], keptUntil: nowPlus(700_000) }
      const times = { authTime: now, createdAt: now, lastSeenAt: now, revokedAt: now, endReason: 'host' }
      same(await storage.sessions.find(id), { ...stored, ...times }, 'the tombstone')
      await storage.sessions.revoke({ ...end, sessionId: sessionId('brief'), tombstoneUntil: nowPlus(1) })
      const brief = (await storage.sessions.find(sessionId('brief')))?.keptUntil
      same(brief, nowPlus(revocationRetention), 'how long a brief tombstone is kept')
    },
  ),

  law("sessions: no client can join another user's session", async ({ storage, same }) => {
    await storage.sessions.insert(session)
    const foreign = aJoin({ userId: userId('user-2'), now: nowPlus(1) })

    same(await storage.sessions.join(foreign), { outcome: 'foreign' }, 'the join')
    same(await storage.sessions.participants(session.sessionId), [], 'the participants')
    same(await storage.sessions.find(session.sessionId), session, 'the session')
    await storage.sessions.revoke(aSessionEnd())
    same(await storage.sessions.join(foreign), endedOutcome, 'a join after the end')
  }),

  law(
    "sessions: the participants of a user's unrevoked sessions of up to a given generation are listed",
    async (trial) => {
      const { storage, same } = trial
      await storage.users.insert(aUser())
      await joinAll(storage, ['client-2', 'client-1'], { sessionId: sessionId('session-b'), userGeneration: 0 })
      await joinAll(storage, ['client-1'], { sessionId: sessionId('session-a'), userGeneration: 1 })
      await joinAll(storage, ['client-1'], { sessionId: sessionId('session-c'), userGeneration: 2 })
      await joinAll(storage, ['client-3'], { sessionId: sessionId('session-d'), userId: userId('user-2') })
      await joinAll(storage, ['client-4'], { sessionId: sessionId('session-e') })
      await storage.sessions.revoke(aSessionEnd({ sessionId: sessionId('session-e') }))
      await storage.users.remove(session.userId, now)

      const expected = [
        participant('client-1', [now, now], 'session-a'),
        participant('client-1', [now, now], 'session-b'),
        participant('client-2', [now, now], 'session-b'),
      ]
      same(await storage.sessions.participantsOfUser(session.userId, 1), expected, 'up to generation 1')
      same(await storage.sessions.participantsOfUser(session.userId, 0), expected.slice(1), 'up to generation 0')
      same(await storage.sessions.participantsOfUser(userId('unknown'), 9), [], 'of an unknown user')
    },
  ),
]

const session = aSessionRecord()

const joinedOutcome = { outcome: 'joined' }
const endedOutcome = { outcome: 'ended' }

const ofAge = (age: number): typeof session =>
  aSessionRecord({ digest: aDigest(`digest-${age}`), sessionId: sessionId(`session-${age}`), createdAt: nowPlus(-age) })

/** A session of the host has no cookie of this server, so these members are absent. */
const withoutCookie = { idleExpiresAt: undefined, expiresAt: undefined, digest: undefined }

const ofHost = (age: number, keptUntil: EpochSeconds): SessionRecord => ({ ...ofAge(age), ...withoutCookie, keptUntil })

/** Returns a session as it is after its revocation. It is kept for as long as a reader of revocations may need its participants. */
const revokedAs = (record: SessionRecord, endReason: SessionRecord['endReason'], at: EpochSeconds): SessionRecord => ({
  ...record,
  revokedAt: at,
  endReason,
  keptUntil: after(at, revocationRetention),
})

const participant = (
  client: string,
  [firstAt, lastAt]: readonly [EpochSeconds, EpochSeconds] = [now, now],
  of = 'session-1',
): SessionParticipantRecord => ({ sessionId: sessionId(of), clientId: clientId(client), firstAt, lastAt })

async function joinAll(
  { sessions }: OAuthStorage,
  clients: readonly string[],
  session: Partial<SessionJoin['session']>,
): Promise<void> {
  for (const client of clients) await sessions.join(aJoin({ ...session, clientId: clientId(client) }))
}
