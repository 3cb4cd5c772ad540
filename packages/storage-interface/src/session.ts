import {
  secretDigest,
  sessionId,
  userId,
  type SecretDigest,
  type SessionId,
  type UserId,
  type EpochSeconds,
} from './values.ts'
import type { RevokeOutcome, InsertOutcome } from './outcome.ts'
import { defineRecord, id, integer, key, list, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Browser sessions. */
export const sessions = defineRecord('sessions', {
  /** Digest of the cookie's secret. */
  digest: key(id(secretDigest)),
  sessionId: id(sessionId),
  userId: id(userId),
  /** The user's `generation` at login. The session is dead when the user has a later one. */
  userGeneration: integer,
  authTime: time,
  acr: optional(text),
  amr: list(text),
  createdAt: time,
  /** Moves with use. */
  idleExpiresAt: time,
  /** Never moves. */
  expiresAt: time,
  revokedAt: optional(time),
})

/** A browser in which a user is signed in. */
export interface SessionRecord extends RecordOf<typeof sessions> {}

/** Browser sessions. They are read through `StatusStore.ofSession`, together with their user. */
export interface SessionStore {
  insert(session: SessionRecord): Promise<InsertOutcome>

  /** Moves the idle expiry of an active session; the write may be lost. `UPDATE sessions SET idle_expires_at = ? WHERE … AND revoked_at IS NULL` */
  touch(digest: SecretDigest, idleExpiresAt: EpochSeconds): Promise<void>

  /** Law: the first revocation's time stays, and a revoked session is never active again. */
  revoke(sessionId: SessionId, now: EpochSeconds): Promise<RevokeOutcome>

  /** The user's unrevoked and unexpired sessions, newest first. */
  listByUser(userId: UserId, now: EpochSeconds): Promise<readonly SessionRecord[]>
}
