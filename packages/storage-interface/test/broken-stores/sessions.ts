import { after, seconds } from '@mintmark/storage-interface'
import { breakStore, letOthersGoFirst, type BrokenStore } from './break-store.ts'

/** Stores that break the laws about sessions and their participants. */
export const brokenSessionStores: Readonly<Record<string, BrokenStore>> = {
  'sessions: a digest and a session identifier are inserted at most once': breakStore('sessions', (honest) => ({
    insert: async (session) => (await honest.insert(session), { outcome: 'inserted' }),
  })),
  'sessions: touch changes the times of use of an unrevoked session, and nothing else': breakStore(
    'sessions',
    (honest, _storage, seen) => ({
      touch: async (digest, use) => void seen.set(digest, use),
      find: async (id) => {
        const session = await honest.find(id)
        return session && { ...session, ...(seen.get(session.digest ?? '') as object) }
      },
    }),
  ),
  'sessions: a revocation is reported once, and a later one changes neither its time nor its reason': breakStore(
    'sessions',
    (honest) => ({
      revoke: async (end) => (await honest.revoke(end), { outcome: 'revoked' }),
    }),
  ),
  'sessions: a renewed session has a new cookie and sign-in, and keeps its clients': breakStore(
    'sessions',
    (honest) => ({
      // Leaves the old cookie in use.
      renew: async (session) => ({
        outcome: (await honest.find(session.sessionId)) === undefined ? 'absent' : 'renewed',
      }),
    }),
  ),
  "sessions: a user's active sessions are listed newest first": breakStore('sessions', (honest) => ({
    listByUser: (userId, now) => honest.listByUser(userId, after(now, seconds(-1))),
  })),
  'sessions: revokeOfUser leaves the user without an unrevoked session': breakStore('sessions', (honest) => ({
    // Misses the sessions that have expired.
    revokeOfUser: async (userId, reason, now) => {
      const active = await honest.listByUser(userId, now)
      for (const { sessionId } of active) await honest.revoke({ sessionId, reason, now, tombstoneUntil: undefined })
      return active.map(({ sessionId }) => sessionId)
    },
  })),

  'sessions: the first join inserts a session of the host, and later joins update its times': breakStore(
    'sessions',
    (honest) => ({
      // Returns the time of the last use as `keptUntil`, whatever earlier clients need.
      find: async (id) => {
        const session = await honest.find(id)
        return session && { ...session, keptUntil: session.lastSeenAt }
      },
    }),
  ),
  'sessions: a join does not change the cookie and the sign-in of a stored session': breakStore('status', (honest) => ({
    ofSession: async (digest) => {
      const status = await honest.ofSession(digest)
      return status && { ...status, session: { ...status.session, acr: 'other' } }
    },
  })),
  'sessions: each client of a session is listed with its first and its last join': breakStore('sessions', (honest) => ({
    participants: async (id) =>
      (await honest.participants(id)).map((participant) => ({ ...participant, firstAt: participant.lastAt })),
  })),
  'sessions: no client can join a session that was revoked': breakStore('sessions', (honest) => ({
    // Lets a client that joined before join again after the session has ended.
    join: async (request) => {
      const before = await honest.participants(request.session.sessionId)
      const isKnown = before.some(({ clientId }) => clientId === request.clientId)
      return isKnown ? { outcome: 'joined' } : honest.join(request)
    },
  })),
  'sessions: a client that joins during a revocation becomes a participant, or gets the outcome ended': breakStore(
    'sessions',
    (honest, _storage, seen) => ({
      // Reads the session, and adds the participant in a second step.
      join: async (request) => {
        const { sessionId } = request.session
        const revokedAt = (await honest.find(sessionId))?.revokedAt ?? seen.get(sessionId)
        await letOthersGoFirst()
        const result = await honest.join(request)
        return revokedAt === undefined && result.outcome === 'ended' ? { outcome: 'joined' } : result
      },
    }),
  ),
  'sessions: a session that was never stored can be revoked, and no client can join it afterwards': breakStore(
    'sessions',
    (honest) => ({
      revoke: async (end) => (await honest.revoke({ ...end, tombstoneUntil: undefined }), { outcome: 'revoked' }),
    }),
  ),
  "sessions: no client can join another user's session": breakStore('sessions', (honest) => ({
    join: async (request) => {
      const userId = (await honest.find(request.session.sessionId))?.userId ?? request.session.userId
      return honest.join({ ...request, session: { ...request.session, userId } })
    },
  })),
  "sessions: the participants of a user's unrevoked sessions of up to a given generation are listed": breakStore(
    'sessions',
    (honest) => ({
      participantsOfUser: (userId) => honest.participantsOfUser(userId, 9),
    }),
  ),

  'purge: a session stays while clients and tokens refer to it, and its participants with it': breakStore(
    'sessions',
    (honest, _storage, seen) => ({
      // Keeps the participants of a removed session.
      participants: async (id) => {
        const found = await honest.participants(id)
        if (found.length > 0) seen.set(id, found)
        return (seen.get(id) as typeof found | undefined) ?? []
      },
    }),
  ),
  'purge: a revoked session stays as long as its revocation': breakStore('sessions', (honest) => ({
    join: async (request) => {
      const result = await honest.join(request)
      return result.outcome === 'ended' ? { outcome: 'joined' } : result
    },
  })),
}
