import { authenticationFields, type Possession } from './authorization-code.ts'
import {
  clientId,
  familyId,
  grantId,
  organizationId,
  secretDigest,
  sessionId,
  userId,
  type ClientId,
  type FamilyId,
  type SecretDigest,
  type DurationSeconds,
  type JsonObject,
  type ProviderId,
  type EpochSeconds,
} from './values.ts'
import type { RevokeOutcome } from './outcome.ts'
import {
  defineRecord,
  id,
  json,
  jsonOf,
  key,
  list,
  object,
  optional,
  spread,
  storedAs,
  text,
  time,
  type RecordOf,
  type RecordOfFields,
} from './records/define-record.ts'

const refreshFields = {
  /** Digest of the part that all refresh tokens of the family share; unique, and used to find the family. */
  handleDigest: id(secretDigest),
  /** Digest of the one refresh token that may be rotated now. */
  currentDigest: id(secretDigest),
  /** Digest of the token that was rotated last; `undefined` before the first rotation. */
  previousDigest: optional(id(secretDigest)),
  /**
   * The server derives the current token from this and the previous token, for a client that lost the response. It is useless
   * without the previous token.
   */
  successorSalt: optional(text),
  rotatedAt: optional(time),
  /** When the previous token was last accepted again; `undefined` if it was not since the rotation. */
  retriedAt: optional(time),
  /** Sliding: each rotation extends it. */
  expiresAt: storedAs('refresh_expires_at', time),
}

/** The rotating refresh token of a family: which token is current, and how to answer a retry with the previous one. */
export interface RefreshRecord extends RecordOfFields<typeof refreshFields> {}

/** Token families. */
export const families = defineRecord('families', {
  familyId: key(id(familyId)),
  grantId: id(grantId),
  clientId: id(clientId),
  userId: id(userId),
  scopes: list(text),
  resources: list(text),
  claimsRequest: optional(json),
  authentication: object(authenticationFields),
  /** The session that the tokens are revoked with (OIDC Back-Channel Logout 1.0 §2.7); `undefined` for none. */
  boundSessionId: optional(id(sessionId)),
  /** The key that every refresh request must prove (RFC 9449 §5). A family without this member is not refreshed. */
  possession: jsonOf<Possession>(),
  /** The organization that the tokens are for; they are revoked when the user stops being a member. `undefined` for none. */
  organizationId: optional(id(organizationId)),
  /** The authorization details that the user granted (RFC 9396). A family without this list is not refreshed. */
  authorizationDetails: list(json),
  /** `undefined` for a family that depends on its grant alone. */
  lineage: optional(jsonOf<Lineage>()),
  /** `undefined` when no refresh token was issued. */
  refresh: optional(spread(refreshFields)),
  createdAt: time,
  /** Absolute: from this time on, nothing of the family is honoured, and the row may be purged. */
  expiresAt: time,
  revokedAt: optional(time),
})

/**
 * Everything issued from one authorization code: one row, however often its refresh token rotates. Access tokens name their
 * family, so revoking the row revokes them too.
 */
export interface TokenFamilyRecord extends RecordOf<typeof families> {}

/**
 * What a token depends on in addition to its grant: the tokens that it was exchanged for, one after the other, and the directory
 * that vouched for its user. The family of an exchanged token has the grant of the first one, and a client of its own.
 */
export interface Lineage {
  /** The families of those tokens, from the one that a grant started to the last one: at most four. */
  readonly parents: readonly FamilyId[]
  /** The `jti` of each of them: a client can revoke one token of a family. */
  readonly tokenIds: readonly string[]
  /** The claim `act` of the token (RFC 8693 §4.1); `undefined` for an impersonation. */
  readonly act?: JsonObject
  /** The directory whose assertion a client presented for the token, or for the first of those tokens (ID-JAG). */
  readonly providerId?: ProviderId
}

/** The highest number of `parents`. */
export const maxParents = 4

/** `revoked`: the family was revoked before it was inserted. Nothing was changed, and none of its tokens is ever honoured. */
export type FamilyInsertOutcome = { readonly outcome: 'inserted' } | { readonly outcome: 'revoked' }

/**
 * How many retry windows after a rotation the previous token is refused, even if each retry was within the window of the
 * one before. Otherwise a thief of the previous token could extend its use without limit.
 */
export const retryWindowsInTotal = 6

export interface RotateRequest {
  readonly handleDigest: SecretDigest
  readonly presentedDigest: SecretDigest
  readonly clientId: ClientId
  /** Equal to `presentedDigest` if the token is not replaced; it then stays current. */
  readonly successorDigest: SecretDigest
  readonly successorSalt: string
  /** The new sliding expiry. */
  readonly expiresAt: EpochSeconds
  readonly now: EpochSeconds
  /**
   * How long after its rotation, or after it was last accepted again, the previous token may be presented again; 0 means
   * never. All retries end `retryWindowsInTotal` windows after the rotation.
   */
  readonly retryWindow: DurationSeconds
}

/**
 * - `rotated`: the presented token was current; now the successor is. The record is as it is after the rotation.
 * - `retried`: the presented token is the previous one, within the window; only `refresh.retriedAt` changed, to `now`. The
 *   server derives the same successor again from `refresh.successorSalt`. The record is as it is after the retry.
 * - `reused`: any other token of the family; the family was revoked in the same step (RFC 9700 §4.14.2).
 * - `absent`: the handle is unknown or another client's, or the family has expired or was revoked before; nothing changed.
 */
export type RotateOutcome =
  | { readonly outcome: 'rotated'; readonly record: TokenFamilyRecord }
  | { readonly outcome: 'retried'; readonly record: TokenFamilyRecord }
  | { readonly outcome: 'reused'; readonly record: TokenFamilyRecord }
  | { readonly outcome: 'absent' }

/** Token families, by identifier and by refresh token. They are read through `StatusStore`. */
export interface TokenFamilyStore {
  /**
   * Law: a family whose tombstone was inserted first is never active.
   * `INSERT … ON CONFLICT (issuer, family_id) DO NOTHING`; no row written means `revoked`.
   */
  insert(family: TokenFamilyRecord): Promise<FamilyInsertOutcome>

  /**
   * Law: of all presentations of one token exactly one is `rotated`, whatever the interleaving, and after `reused` no
   * token of the family rotates again. A token that is its own successor stays current: each presentation is `rotated`.
   * `UPDATE families SET previous_digest = current_digest, current_digest = ?, successor_salt = ?, rotated_at = ?, … WHERE issuer = ?
   * AND handle_digest = ? AND client_id = ? AND current_digest = ? AND revoked_at IS NULL AND refresh_expires_at > ? AND expires_at > ?`
   * Law: an accepted retry starts the retry window again, for at most `retryWindowsInTotal` windows after the rotation: the
   * response to the retry may have been lost too.
   */
  rotate(request: RotateRequest): Promise<RotateOutcome>

  /** Law: a revoked family stays revoked; every later rotation is `absent`. */
  revoke(familyId: FamilyId, now: EpochSeconds): Promise<RevokeOutcome>

  /**
   * Revokes a family that may not have been inserted yet: its code was presented a second time while the first request is still in
   * progress. Law: whichever of `insert` and `insertTombstone` comes first, the family is revoked once `insertTombstone` has returned.
   * `INSERT … (…, revoked_at) ON CONFLICT DO NOTHING`; no row written means that the family exists: revoke it, and try again if it
   * was purged meanwhile.
   */
  insertTombstone(family: TokenFamilyRecord, now: EpochSeconds): Promise<void>
}
