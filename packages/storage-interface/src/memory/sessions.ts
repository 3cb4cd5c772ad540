import type { SecretDigest, SessionId, UserId } from '../values.ts'
import type { SessionRecord, SessionStore } from '../session.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'

export interface SessionTable {
  readonly byDigest: ExpiringRows<SecretDigest, SessionRecord>
  readonly bySessionId: Map<SessionId, SecretDigest>
  readonly byUser: Map<UserId, Set<SecretDigest>>
}

export const createSessionTable = (): SessionTable => ({
  byDigest: createExpiringRows(({ expiresAt, idleExpiresAt }) =>
    expiresAt < idleExpiresAt ? expiresAt : idleExpiresAt,
  ),
  bySessionId: new Map(),
  byUser: new Map(),
})

export function createMemorySessions(sessions: SessionTable, scheduler: SchedulerHook): SessionStore {
  return {
    async insert(session) {
      await scheduler()
      if (sessions.byDigest.has(session.digest) || sessions.bySessionId.has(session.sessionId))
        return { outcome: 'taken' }

      write(sessions, session)
      return { outcome: 'inserted' }
    },

    async touch(digest, idleExpiresAt) {
      await scheduler()
      const current = sessions.byDigest.get(digest)
      if (current === undefined || current.revokedAt !== undefined) return

      write(sessions, { ...current, idleExpiresAt })
    },

    async revoke(sessionId, now) {
      await scheduler()
      const digest = sessions.bySessionId.get(sessionId)
      const current = digest === undefined ? undefined : sessions.byDigest.get(digest)
      if (current === undefined) return { outcome: 'absent' }
      if (current.revokedAt !== undefined) return { outcome: 'unchanged' }

      write(sessions, { ...current, revokedAt: now })
      return { outcome: 'revoked' }
    },

    async listByUser(userId, now) {
      await scheduler()
      const ofUser = [...(sessions.byUser.get(userId) ?? [])].flatMap((digest) => sessions.byDigest.get(digest) ?? [])
      return ofUser
        .filter((session) => session.revokedAt === undefined && now < session.idleExpiresAt && now < session.expiresAt)
        .toSorted((a, b) => b.createdAt - a.createdAt)
    },
  }
}

function write(sessions: SessionTable, session: SessionRecord): void {
  const record = frozenCopy(session)
  sessions.byDigest.set(record.digest, record)
  sessions.bySessionId.set(record.sessionId, record.digest)

  const ofUser = sessions.byUser.get(record.userId) ?? new Set<SecretDigest>()
  sessions.byUser.set(record.userId, ofUser.add(record.digest))
}

/** Removes a session and its index entries. */
export function removeSession({ byDigest, bySessionId, byUser }: SessionTable, digest: SecretDigest): void {
  const session = byDigest.get(digest)
  if (session === undefined) return

  byDigest.delete(digest)
  bySessionId.delete(session.sessionId)
  const ofUser = byUser.get(session.userId)
  ofUser?.delete(digest)
  if (ofUser?.size === 0) byUser.delete(session.userId)
}
