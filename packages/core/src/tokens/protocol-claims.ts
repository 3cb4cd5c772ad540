/** The claims that the protocol sets in ID tokens (OIDC Core §2, §3.1.3.6, IPSIE SL1 §3.2.1). Discovery lists them as supported. */
export const idTokenClaims = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'acr',
  'amr',
  'at_hash',
  'sid',
  'session_expiry',
] as const

/** A claim that the protocol sets in ID tokens: minting another one, or leaving one out, does not compile. */
export type IdTokenClaim = (typeof idTokenClaims)[number]

/**
 * The claims that only the protocol may set, in any token: neither a user's data nor a host can override them
 * (RFC 7519 §4.1, OIDC Core §2, RFC 9068 §2.2, RFC 8693 §4, RFC 9396 §9.1).
 */
export const protocolClaims: ReadonlySet<string> = new Set([
  ...idTokenClaims,
  'nbf',
  'jti',
  'azp',
  'c_hash',
  's_hash',
  'client_id',
  'scope',
  'cnf',
  'events',
  'act',
  'may_act',
  'authorization_details',
])

/**
 * The claims that the server sets in access tokens in addition to the protocol claims: what the token depends on, and
 * which claims it lacks.
 */
export const accessTokenClaimNames = [
  'client_ref',
  'user_ref',
  'family',
  'grant',
  'session',
  'generation',
  'lineage',
  'origins',
  'claims_overflow',
] as const

/** The members that introspection sets in addition to the claims of the token (RFC 7662 §2.2). */
export const introspectionClaimNames = ['active', 'token_type'] as const
