import type { AuthenticationRecord } from './authorization-code.ts'
import type { ClientId, FamilyId, GrantId, SecretDigest, UserId } from './identifiers.ts'
import type { JsonObject } from './json.ts'
import type { RevokeOutcome } from './outcome.ts'
import type { DurationSeconds, EpochSeconds } from './time.ts'

/** The rotating refresh token of a family: which one is current, and what a retry of the one before it gets. */
export interface RefreshRecord {
  /** Digest of the part that all refresh tokens of the family share; unique, finds the family. */
  readonly handleDigest: SecretDigest
  /** Digest of the one refresh token that may be rotated now. */
  readonly currentDigest: SecretDigest
  /** Digest of the token that was rotated last; `undefined` before the first rotation. */
  readonly previousDigest: SecretDigest | undefined
  /** What turns the previous token into the current one again, for a client that lost the answer. Useless without that token. */
  readonly successorSalt: string | undefined
  readonly rotatedAt: EpochSeconds | undefined
  /** Sliding: each rotation moves it. */
  readonly expiresAt: EpochSeconds
}

/**
 * Everything issued from one authorization code: one row for its whole life, however often its refresh token rotates.
 * Access tokens name their family, so revoking the row ends them too.
 */
export interface TokenFamilyRecord {
  readonly familyId: FamilyId
  readonly grantId: GrantId
  readonly clientId: ClientId
  readonly userId: UserId
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly claimsRequest: JsonObject | undefined
  readonly authentication: AuthenticationRecord
  /** `undefined` when no refresh token was issued. */
  readonly refresh: RefreshRecord | undefined
  readonly createdAt: EpochSeconds
  /** Absolute: nothing of the family is honoured later, and the row may be purged. */
  readonly expiresAt: EpochSeconds
  readonly revokedAt: EpochSeconds | undefined
}

/** `buried` means that the family was revoked before it was written: nothing was changed, and none of its tokens is ever honoured. */
export type FamilyInsertOutcome = { readonly outcome: 'inserted' } | { readonly outcome: 'buried' }

export interface RotateRequest {
  readonly handleDigest: SecretDigest
  readonly presentedDigest: SecretDigest
  readonly clientId: ClientId
  readonly successorDigest: SecretDigest
  readonly successorSalt: string
  /** The new sliding expiry. */
  readonly expiresAt: EpochSeconds
  readonly now: EpochSeconds
  /** How long after its rotation the previous token may be presented again; 0 means never. */
  readonly retryWindow: DurationSeconds
}

/**
 * - `rotated`: the presented token was current; the successor is now. The record is as it is after the rotation.
 * - `retried`: the presented token is the previous one, inside the window; nothing changed. `refresh.successorSalt` gives the same successor again.
 * - `reused`: any other token of the family; the family was revoked in the same step (RFC 9700 §4.14.2).
 * - `absent`: unknown handle, another client's, expired, or revoked before; nothing changed.
 */
export type RotateOutcome =
  | { readonly outcome: 'rotated'; readonly record: TokenFamilyRecord }
  | { readonly outcome: 'retried'; readonly record: TokenFamilyRecord }
  | { readonly outcome: 'reused'; readonly record: TokenFamilyRecord }
  | { readonly outcome: 'absent' }

/** Token families, by identifier and by refresh token. They are read through `StandingStore`. */
export interface TokenFamilyStore {
  /**
   * Law: a family that `bury` has met first is never live.
   * `INSERT … ON CONFLICT (issuer, family_id) DO NOTHING`; no row written means `buried`.
   */
  insert(family: TokenFamilyRecord): Promise<FamilyInsertOutcome>

  /**
   * Law: of all presentations of one token exactly one is `rotated`, whatever the interleaving, and after `reused` no
   * token of the family rotates again.
   * `UPDATE families SET previous_digest = current_digest, current_digest = ?, successor_salt = ?, rotated_at = ?, … WHERE issuer = ?
   * AND handle_digest = ? AND client_id = ? AND current_digest = ? AND revoked_at IS NULL AND refresh_expires_at > ? AND expires_at > ?`
   */
  rotate(request: RotateRequest): Promise<RotateOutcome>

  /** Law: a revoked family stays revoked; a rotation that comes later is `absent`. */
  revoke(familyId: FamilyId, now: EpochSeconds): Promise<RevokeOutcome>

  /**
   * Revokes a family that may not have been written yet: its code was presented twice while the first presenter is still
   * at work. Law: whichever of `insert` and `bury` comes first, the family is dead once `bury` has answered.
   * `INSERT … (…, revoked_at) ON CONFLICT DO NOTHING`; no row written means that it is there: revoke it, and look again if it went.
   */
  insertTombstone(family: TokenFamilyRecord, now: EpochSeconds): Promise<void>
}
