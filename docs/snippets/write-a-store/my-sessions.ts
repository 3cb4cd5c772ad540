import {
  after,
  type EpochSeconds,
  type OAuthStorage,
  revocationRetention,
  type SessionRecord,
} from '@mintmark/storage-interface'
import { writeRevocation, type Tables } from './my-database.ts'

type Sessions = OAuthStorage['sessions']
type SessionEnd = Parameters<Sessions['revoke']>[0]
type SessionJoin = Parameters<Sessions['join']>[0]

/** Stores sessions by their identifiers, because a session of the host has no cookie. */
export function createSessionStore(tables: Tables): Sessions {
  const { sessions, participants } = tables
  const unrevokedOf = (user: SessionRecord['userId']) =>
    sessions.where(({ userId, revokedAt }) => userId === user && revokedAt === undefined)

  function revoke({ sessionId, reason, now, tombstoneUntil }: SessionEnd) {
    const session = sessions.get(sessionId)
    if (session?.revokedAt !== undefined) return { outcome: 'unchanged' } as const
    const tombstone = {
      ...withoutCookie,
      ...signInAt(now),
      sessionId,
      userId: undefined,
      keptUntil: tombstoneUntil ?? now,
    }
    if (session === undefined && tombstoneUntil === undefined) return { outcome: 'absent' } as const
    const keptUntil = later(session?.keptUntil ?? tombstone.keptUntil, after(now, revocationRetention))
    sessions.put(sessionId, { ...tombstone, ...session, keptUntil, revokedAt: now, endReason: reason })
    writeRevocation(tables, { revocation: { kind: 'session', sessionId }, revokedAt: now })
    return { outcome: 'revoked' } as const
  }

  function addParticipant({ session: { sessionId }, clientId, now }: SessionJoin) {
    const key = JSON.stringify([sessionId, clientId])
    const before = participants.get(key)
    const lastAt = later(before?.lastAt ?? now, now)
    participants.put(key, { sessionId, clientId, firstAt: before?.firstAt ?? now, lastAt })
  }

  return {
    async insert(session) {
      const sameDigest = session.digest && sessions.where(({ digest }) => digest === session.digest)[0]
      if (sameDigest || sessions.has(session.sessionId)) return { outcome: 'taken' }
      sessions.put(session.sessionId, session)
      return { outcome: 'inserted' }
    },
    async touch(cookie, use) {
      const [session] = sessions.where(({ digest, revokedAt }) => digest === cookie && revokedAt === undefined)
      if (session !== undefined) sessions.put(session.sessionId, { ...session, ...use })
    },
    async renew(session) {
      const stored = sessions.get(session.sessionId)
      if (stored === undefined || stored.revokedAt !== undefined || stored.userId !== session.userId)
        return { outcome: 'absent' }
      const { createdAt, keptUntil, revokedAt, endReason } = stored
      sessions.put(session.sessionId, { ...session, createdAt, keptUntil, revokedAt, endReason })
      return { outcome: 'renewed' }
    },
    // Writes the session and its participant in one transaction, if the session was not revoked.
    async join(request) {
      const { session, now } = request
      const stored = sessions.get(session.sessionId)
      if (stored?.revokedAt !== undefined) return { outcome: 'ended' }
      if (stored !== undefined && stored.userId !== session.userId) return { outcome: 'foreign' }
      const base = stored ?? { ...withoutCookie, ...session, createdAt: now, lastSeenAt: now }
      const keptUntil = later(base.keptUntil, session.keptUntil)
      sessions.put(session.sessionId, { ...base, keptUntil, lastSeenAt: later(base.lastSeenAt, now) })
      addParticipant(request)
      return { outcome: 'joined' }
    },
    revoke: async (end) => revoke(end),
    async revokeOfUser(user, reason, now) {
      const ids = unrevokedOf(user).map(({ sessionId }) => sessionId)
      for (const sessionId of ids) revoke({ sessionId, reason, now, tombstoneUntil: undefined })
      return ids
    },
    find: async (sessionId) => sessions.get(sessionId),
    async listByUser(user, now) {
      const isActive = ({ idleExpiresAt, expiresAt, keptUntil }: SessionRecord) =>
        now < (idleExpiresAt ?? keptUntil) && now < (expiresAt ?? keptUntil)
      return unrevokedOf(user)
        .filter(isActive)
        .toSorted((a, b) => b.createdAt - a.createdAt)
    },
    participants: async (id) => participants.where(({ sessionId }) => sessionId === id).toSorted(compareParticipants),
    async participantsOfUser(user, upToGeneration) {
      const ofUser = unrevokedOf(user).filter(({ userGeneration }) => userGeneration <= upToGeneration)
      const ids = new Set(ofUser.map(({ sessionId }) => sessionId))
      return participants.where(({ sessionId }) => ids.has(sessionId)).toSorted(compareParticipants)
    },
  }
}

const withoutCookie = {
  digest: undefined,
  userAgent: undefined,
  location: undefined,
  idleExpiresAt: undefined,
  expiresAt: undefined,
  revokedAt: undefined,
  endReason: undefined,
}

/** Returns the sign-in data of a session that was revoked before it was stored. */
const signInAt = (now: EpochSeconds) => ({
  userGeneration: 0,
  authTime: now,
  acr: undefined,
  amr: [],
  createdAt: now,
  lastSeenAt: now,
})

const later = (a: EpochSeconds, b: EpochSeconds) => (a < b ? b : a)

/** Orders participants by session, then by client, in code unit order. */
const compareParticipants = (a: ParticipantKey, b: ParticipantKey) =>
  compare(a.sessionId, b.sessionId) || compare(a.clientId, b.clientId)
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

interface ParticipantKey {
  readonly sessionId: string
  readonly clientId: string
}
