import {
  clientId,
  familyId,
  grantId,
  organizationId,
  secretDigest,
  sessionId,
  userId,
  type ClientId,
  type SecretDigest,
  type EpochSeconds,
} from './values.ts'
import type { ConsumeOutcome, InsertOutcome } from './outcome.ts'
import {
  defineRecord,
  id,
  json,
  jsonOf,
  key,
  list,
  object,
  oneOf,
  optional,
  text,
  time,
  type RecordOf,
  type RecordOfFields,
} from './records/define-record.ts'

/** The members of an `AuthenticationRecord`. */
export const authenticationFields = {
  authTime: time,
  acr: optional(text),
  amr: list(text),
  sessionId: optional(id(sessionId)),
  /** When the session ends at the latest; `undefined` if the host does not say. */
  sessionExpiresAt: optional(time),
}

/** How and when the user signed in; it becomes `auth_time`, `acr`, `amr`, `sid` and `session_expiry` of the ID token (OIDC Core §2). */
export interface AuthenticationRecord extends RecordOfFields<typeof authenticationFields> {}

/**
 * The key that a token or a code is bound to: the key of a DPoP proof (RFC 9449 §6.1), of a client certificate (RFC 8705 §3.1), or
 * of an attested client instance. Only refresh tokens are bound to the key of an instance.
 */
export type Possession =
  | { readonly kind: 'none' }
  | { readonly kind: 'dpop'; readonly jkt: string }
  | { readonly kind: 'mtls'; readonly x5tS256: string }
  | { readonly kind: 'attested'; readonly jkt: string }

/** Authorization codes. */
export const codes = defineRecord(
  'codes',
  {
    digest: key(id(secretDigest)),
    clientId: id(clientId),
    grantId: id(grantId),
    /**
     * The token family that redemption will create. Because the code contains its identifier, a replay can revoke the family
     * even before redemption has stored it.
     */
    familyId: id(familyId),
    userId: id(userId),
    redirectUri: text,
    /** Scope values granted to this authorization; a subset of the grant's. */
    scopes: list(text),
    /** Resource indicators granted to this authorization (RFC 8707); empty when the request named none. */
    resources: list(text),
    nonce: optional(text),
    /** `exempt` is written only for a confidential client that does not need PKCE and sent no challenge. A code without a method is not redeemed. */
    codeChallengeMethod: oneOf('S256', 'exempt'),
    codeChallenge: optional(text),
    /** The `claims` request parameter (OIDC Core §5.5), parsed. */
    claimsRequest: optional(json),
    authentication: object(authenticationFields),
    /** Revoking this session revokes the code and its tokens. `undefined` when they do not depend on a session. */
    boundSessionId: optional(id(sessionId)),
    /** The key that is needed to redeem the code (RFC 9449 §10). A code without this member is not redeemed. */
    possession: jsonOf<Possession>(),
    /** The organization that the tokens are for; `undefined` for none. */
    organizationId: optional(id(organizationId)),
    /** The authorization details that the user granted (RFC 9396). A code without this list is not redeemed. */
    authorizationDetails: list(json),
    issuedAt: time,
    expiresAt: time,
  },
  { storedOnly: { consumedAt: optional(time) } },
)

/** An authorization code and the authorization that it represents (RFC 6749 §4.1.2). */
export interface AuthorizationCodeRecord extends RecordOf<typeof codes> {}

/** Authorization codes, by digest. They are valid for a minute. */
export interface AuthorizationCodeStore {
  insert(code: AuthorizationCodeRecord): Promise<InsertOutcome>

  /** Reads a code without consuming it. Returns `undefined` where `consume` would return `absent`. */
  find(digest: SecretDigest, clientId: ClientId, now: EpochSeconds): Promise<AuthorizationCodeRecord | undefined>

  /**
   * Law: at most one call gets `won` for a code, under any interleaving (RFC 6749 §10.5). Only a call for the client that the
   * code was issued to gets `won`, and only while `now < expiresAt`. A call for another client changes nothing. Until a
   * consumed code expires, later calls get `replayed`.
   * `UPDATE codes SET consumed_at = ? WHERE issuer = ? AND digest = ? AND client_id = ? AND expires_at > ? AND consumed_at IS NULL RETURNING *`
   */
  consume(digest: SecretDigest, clientId: ClientId, now: EpochSeconds): Promise<ConsumeOutcome<AuthorizationCodeRecord>>
}
