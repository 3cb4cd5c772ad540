import { after, type ClientId, type EpochSeconds, type SecretDigest, type SessionId, type UserId } from '../values.ts'
import type { RevokeOutcome } from '../outcome.ts'
import { revocationRetention } from '../revocation.ts'
import type { SessionEnd, SessionJoin, SessionParticipantRecord, SessionRecord, SessionStore } from '../session.ts'
import { compareText } from '../filter/matches-filter.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { type ChangeTable, writeChange } from './changes.ts'
import { writeRevocation, type RevocationTable } from './revocation-table.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'

export interface SessionTable {
  readonly byId: ExpiringRows<SessionId, SessionRecord>
  readonly byDigest: Map<SecretDigest, SessionId>
  readonly byUser: Map<UserId, Set<SessionId>>
  readonly participants: Map<SessionId, Map<ClientId, SessionParticipantRecord>>
}

export const createSessionTable = (): SessionTable => ({
  byId: createExpiringRows(({ idleExpiresAt, keptUntil }) => laterOf(keptUntil, idleExpiresAt ?? keptUntil)),
  byDigest: new Map(),
  byUser: new Map(),
  participants: new Map(),
})

interface SessionTables {
  readonly changes: ChangeTable
  readonly sessions: SessionTable
  readonly revocations: RevocationTable
}

export function createMemorySessions(tables: SessionTables, scheduler: SchedulerHook): SessionStore {
  const { sessions } = tables

  return {
    ...createParticipation(sessions, scheduler),

    async insert(session) {
      await scheduler()
      const isTaken = session.digest !== undefined && sessions.byDigest.has(session.digest)
      if (isTaken || sessions.byId.has(session.sessionId)) return { outcome: 'taken' }

      write(sessions, session)
      return { outcome: 'inserted' }
    },

    async touch(digest, use) {
      await scheduler()
      const current = findByDigest(sessions, digest)
      if (current !== undefined && current.revokedAt === undefined) write(sessions, { ...current, ...use })
    },

    async renew(session) {
      await scheduler()
      const current = sessions.byId.get(session.sessionId)
      if (current === undefined || current.revokedAt !== undefined || current.userId !== session.userId)
        return { outcome: 'absent' }

      if (current.digest !== undefined) sessions.byDigest.delete(current.digest)
      const { createdAt, keptUntil, revokedAt, endReason } = current
      write(sessions, { ...session, createdAt, keptUntil, revokedAt, endReason })
      return { outcome: 'renewed' }
    },

    async revoke(end) {
      await scheduler()
      return revoke(tables, end)
    },

    async revokeOfUser(userId, reason, now) {
      await scheduler()
      const unrevoked = unrevokedOf(sessions, userId).map(({ sessionId }) => sessionId)
      for (const sessionId of unrevoked) revoke(tables, { sessionId, reason, now, tombstoneUntil: undefined })
      return unrevoked
    },

    async find(sessionId) {
      await scheduler()
      return sessions.byId.get(sessionId)
    },

    async listByUser(userId, now) {
      await scheduler()
      return unrevokedOf(sessions, userId)
        .filter(({ idleExpiresAt, expiresAt, keptUntil }) =>
          [idleExpiresAt, expiresAt].every((time) => now < (time ?? keptUntil)),
        )
        .toSorted((a, b) => b.createdAt - a.createdAt)
    },
  }
}

/** The clients that a session has signed in to. */
const createParticipation = (
  sessions: SessionTable,
  scheduler: SchedulerHook,
): Pick<SessionStore, 'join' | 'participants' | 'participantsOfUser'> => ({
  async join({ session, clientId, now }) {
    await scheduler()
    const current = sessions.byId.get(session.sessionId)
    if (current?.revokedAt !== undefined) return { outcome: 'ended' }
    if (current !== undefined && current.userId !== session.userId) return { outcome: 'foreign' }

    write(
      sessions,
      extendSession(current ?? newSession(session, now), { keptUntil: session.keptUntil, lastSeenAt: now }),
    )
    addParticipant(sessions, { sessionId: session.sessionId, clientId, firstAt: now, lastAt: now })
    return { outcome: 'joined' }
  },

  async participants(sessionId) {
    await scheduler()
    return participantsOf(sessions, sessionId)
  },

  async participantsOfUser(userId, upToGeneration) {
    await scheduler()
    return unrevokedOf(sessions, userId)
      .filter(({ userGeneration }) => userGeneration <= upToGeneration)
      .map(({ sessionId }) => sessionId)
      .toSorted(compareText)
      .flatMap((sessionId) => participantsOf(sessions, sessionId))
  },
})

/** Returns the session of a cookie, whatever its state. */
export function findByDigest({ byDigest, byId }: SessionTable, digest: SecretDigest): SessionRecord | undefined {
  const sessionId = byDigest.get(digest)
  return sessionId === undefined ? undefined : byId.get(sessionId)
}

const unrevokedOf = ({ byId, byUser }: SessionTable, userId: UserId): readonly SessionRecord[] =>
  [...(byUser.get(userId) ?? [])]
    .flatMap((sessionId) => byId.get(sessionId) ?? [])
    .filter(({ revokedAt }) => revokedAt === undefined)

const participantsOf = ({ participants }: SessionTable, sessionId: SessionId): readonly SessionParticipantRecord[] =>
  [...(participants.get(sessionId)?.values() ?? [])].toSorted((a, b) => compareText(a.clientId, b.clientId))

/** Returns a new session of the host. */
const newSession = (session: SessionJoin['session'], now: EpochSeconds): SessionRecord => ({
  ...session,
  digest: undefined,
  createdAt: now,
  lastSeenAt: now,
  idleExpiresAt: undefined,
  expiresAt: undefined,
  revokedAt: undefined,
  endReason: undefined,
})

const extendSession = (
  session: SessionRecord,
  { keptUntil, lastSeenAt }: Pick<SessionRecord, 'keptUntil' | 'lastSeenAt'>,
): SessionRecord => ({
  ...session,
  keptUntil: laterOf(session.keptUntil, keptUntil),
  lastSeenAt: laterOf(session.lastSeenAt, lastSeenAt),
})

function addParticipant({ participants }: SessionTable, participant: SessionParticipantRecord): void {
  const byClient = participants.get(participant.sessionId) ?? new Map<ClientId, SessionParticipantRecord>()
  participants.set(participant.sessionId, byClient)
  const before = byClient.get(participant.clientId)
  const firstAt = before?.firstAt ?? participant.firstAt
  const lastAt = laterOf(before?.lastAt ?? participant.lastAt, participant.lastAt)
  byClient.set(participant.clientId, frozenCopy({ ...participant, firstAt, lastAt }))
}

function revoke(tables: SessionTables, { sessionId, reason, now, tombstoneUntil }: SessionEnd): RevokeOutcome {
  const { sessions } = tables
  const current = sessions.byId.get(sessionId)
  if (current?.revokedAt !== undefined) return { outcome: 'unchanged' }
  const session = current ?? (tombstoneUntil && createTombstone(sessionId, now, tombstoneUntil))
  if (session === undefined) return { outcome: 'absent' }

  const keptUntil = laterOf(session.keptUntil, after(now, revocationRetention))
  write(sessions, { ...session, keptUntil, revokedAt: now, endReason: reason })
  writeRevocation(tables.revocations, { kind: 'session', sessionId }, now)
  if (session.userId !== undefined)
    writeChange(tables.changes, { type: 'session.ended', sessionId, userId: session.userId }, now)
  return { outcome: 'revoked' }
}

const createTombstone = (sessionId: SessionId, now: EpochSeconds, keptUntil: EpochSeconds): SessionRecord => ({
  sessionId,
  userId: undefined,
  userGeneration: 0,
  digest: undefined,
  authTime: now,
  acr: undefined,
  amr: [],
  userAgent: undefined,
  location: undefined,
  createdAt: now,
  lastSeenAt: now,
  idleExpiresAt: undefined,
  expiresAt: undefined,
  keptUntil,
  revokedAt: undefined,
  endReason: undefined,
})

const laterOf = (one: EpochSeconds, other: EpochSeconds): EpochSeconds => (one < other ? other : one)

function write(sessions: SessionTable, session: SessionRecord): void {
  const record = frozenCopy(session)
  sessions.byId.set(record.sessionId, record)
  if (record.digest !== undefined) sessions.byDigest.set(record.digest, record.sessionId)
  if (record.userId === undefined) return

  const ofUser = sessions.byUser.get(record.userId) ?? new Set<SessionId>()
  sessions.byUser.set(record.userId, ofUser.add(record.sessionId))
}

/** Removes a session with its participants and index entries. */
export function removeSession({ byId, byDigest, byUser, participants }: SessionTable, sessionId: SessionId): void {
  const session = byId.get(sessionId)
  if (session === undefined) return

  byId.delete(sessionId)
  participants.delete(sessionId)
  if (session.digest !== undefined) byDigest.delete(session.digest)
  if (session.userId === undefined) return
  const ofUser = byUser.get(session.userId)
  ofUser?.delete(sessionId)
  if (ofUser?.size === 0) byUser.delete(session.userId)
}
