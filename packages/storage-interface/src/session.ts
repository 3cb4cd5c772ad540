import type { SecretDigest, SessionId, UserId } from './identifiers.ts'
import type { RevokeOutcome, InsertOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/** A browser in which a person is signed in. */
export interface SessionRecord {
  /** Digest of the cookie's secret. */
  readonly digest: SecretDigest
  readonly sessionId: SessionId
  readonly userId: UserId
  /** The user's `generation` at login; an older one than the user's is dead. */
  readonly userGeneration: number
  readonly authTime: EpochSeconds
  readonly acr: string | undefined
  readonly amr: readonly string[]
  readonly createdAt: EpochSeconds
  /** Moves with use. */
  readonly idleExpiresAt: EpochSeconds
  /** Never moves. */
  readonly expiresAt: EpochSeconds
  readonly revokedAt: EpochSeconds | undefined
}

/** Browser sessions. They are read through `StandingStore.ofSession`, together with their user. */
export interface SessionStore {
  insert(session: SessionRecord): Promise<InsertOutcome>

  /** Moves the idle expiry of a live session; it may be lost. `UPDATE sessions SET idle_expires_at = ? WHERE … AND revoked_at IS NULL` */
  touch(digest: SecretDigest, idleExpiresAt: EpochSeconds): Promise<void>

  /** Law: the first revocation's time stays, and a revoked session is never live again. */
  revoke(sessionId: SessionId, now: EpochSeconds): Promise<RevokeOutcome>

  /** The person's unrevoked and unexpired sessions, newest first. */
  listByUser(userId: UserId, now: EpochSeconds): Promise<readonly SessionRecord[]>
}
