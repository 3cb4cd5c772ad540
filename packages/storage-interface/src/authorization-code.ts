import type { ClientId, FamilyId, GrantId, SecretDigest, SessionId, UserId } from './identifiers.ts'
import type { JsonObject } from './json.ts'
import type { ConsumeOutcome, InsertOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/** How and when the person signed in; it becomes `auth_time`, `acr`, `amr` and `sid` of the ID token (OIDC Core §2). */
export interface AuthenticationRecord {
  readonly authTime: EpochSeconds
  readonly acr: string | undefined
  readonly amr: readonly string[]
  readonly sessionId: SessionId | undefined
}

/** An authorization code and all that it stands for (RFC 6749 §4.1.2). */
export interface AuthorizationCodeRecord {
  readonly digest: SecretDigest
  readonly clientId: ClientId
  readonly grantId: GrantId
  /** The family that redemption will found. It is named here, so that a replay can end the family before it is written. */
  readonly familyId: FamilyId
  readonly userId: UserId
  readonly redirectUri: string
  /** Scope values granted to this authorization; a part of the grant's. */
  readonly scopes: readonly string[]
  /** Resource indicators granted to this authorization (RFC 8707); empty when the request named none. */
  readonly resources: readonly string[]
  readonly nonce: string | undefined
  /** `exempt` is written only for a confidential client that the host exempted by name. A missing value redeems nothing. */
  readonly codeChallengeMethod: 'S256' | 'exempt'
  readonly codeChallenge: string | undefined
  /** The `claims` request parameter (OIDC Core §5.5), parsed. */
  readonly claimsRequest: JsonObject | undefined
  readonly authentication: AuthenticationRecord
  readonly issuedAt: EpochSeconds
  readonly expiresAt: EpochSeconds
}

/** Authorization codes, by digest. They live for a minute. */
export interface AuthorizationCodeStore {
  insert(code: AuthorizationCodeRecord): Promise<InsertOutcome>

  /** Reads without using up; `absent` by the same rules as `consume`. */
  find(digest: SecretDigest, clientId: ClientId, now: EpochSeconds): Promise<AuthorizationCodeRecord | undefined>

  /**
   * Law: a code is won at most once under any interleaving (RFC 6749 §10.5), only by the client it was issued to, and
   * only while `now < expiresAt`. A presentation by another client changes nothing. A consumed code stays readable as
   * `replayed` until it expires.
   * `UPDATE codes SET consumed_at = ? WHERE issuer = ? AND digest = ? AND client_id = ? AND expires_at > ? AND consumed_at IS NULL RETURNING *`
   */
  consume(digest: SecretDigest, clientId: ClientId, now: EpochSeconds): Promise<ConsumeOutcome<AuthorizationCodeRecord>>
}
