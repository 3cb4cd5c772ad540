import { clientId, familyId, secretDigest, type ClientId, type SecretDigest, type EpochSeconds } from './values.ts'
import type { RevokeOutcome, InsertOutcome } from './outcome.ts'
import { defineRecord, id, json, key, optional, time, type RecordOf } from './records/define-record.ts'

/** Opaque access tokens. */
export const opaqueTokens = defineRecord('opaqueTokens', {
  digest: key(id(secretDigest)),
  clientId: id(clientId),
  /** `undefined` when no user is involved. */
  familyId: optional(id(familyId)),
  /** The claims that a JWT would have carried (RFC 9068 §2.2). */
  claims: json,
  expiresAt: time,
  revokedAt: optional(time),
})

/** An access token that is not a JWT, for resources that are configured to receive opaque tokens. */
export interface OpaqueTokenRecord extends RecordOf<typeof opaqueTokens> {}

/** Opaque access tokens, by digest. */
export interface OpaqueTokenStore {
  insert(token: OpaqueTokenRecord): Promise<InsertOutcome>

  /** Finds a token that has neither expired nor been revoked. */
  find(digest: SecretDigest, now: EpochSeconds): Promise<OpaqueTokenRecord | undefined>

  /**
   * Law: a second revocation does not change `revokedAt`, and only the client that the token was issued to can revoke it. For
   * another client, the outcome is `absent`.
   */
  revoke(digest: SecretDigest, clientId: ClientId, now: EpochSeconds): Promise<RevokeOutcome>
}
