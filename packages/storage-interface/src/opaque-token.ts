import type { ClientId, FamilyId, SecretDigest } from './identifiers.ts'
import type { JsonObject } from './json.ts'
import type { RevokeOutcome, InsertOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/** An access token that is not a JWT: for resources that were configured so. */
export interface OpaqueTokenRecord {
  readonly digest: SecretDigest
  readonly clientId: ClientId
  /** `undefined` when no person is involved. */
  readonly familyId: FamilyId | undefined
  /** The claims that a JWT would have carried (RFC 9068 §2.2). */
  readonly claims: JsonObject
  readonly expiresAt: EpochSeconds
  readonly revokedAt: EpochSeconds | undefined
}

/** Opaque access tokens, by digest. */
export interface OpaqueTokenStore {
  insert(token: OpaqueTokenRecord): Promise<InsertOutcome>

  /** A token that has neither expired nor been revoked. */
  find(digest: SecretDigest, now: EpochSeconds): Promise<OpaqueTokenRecord | undefined>

  /** Law: the first revocation's time stays; only the client that it was issued to can revoke it. Another client's is `absent`. */
  revoke(digest: SecretDigest, clientId: ClientId, now: EpochSeconds): Promise<RevokeOutcome>
}
