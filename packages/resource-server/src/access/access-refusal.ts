/** Error codes of RFC 6750 §3.1; `temporarily_unavailable` when the authorization server cannot be asked. */
export type AccessRefusalCode = 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'temporarily_unavailable'

/** Why access was refused, for logs and tests; never sent to a client. */
export type AccessRefusalReason =
  /** The keys, the introspection or the feed could not be had; `cause` says more. */
  | 'authorization_server_unavailable'
  | 'bearer_malformed'
  | 'bearer_missing'
  | 'bearer_twice'
  | 'scope_missing'
  | 'token_audience'
  /** It is bound to a key that the request does not prove to hold (RFC 9449 §7.1, RFC 8705 §3). */
  | 'token_bound'
  | 'token_claims'
  | 'token_ended'
  | 'token_expired'
  | 'token_header'
  | 'token_inactive'
  | 'token_issuer'
  | 'token_key_unknown'
  | 'token_malformed'
  | 'token_not_yet_valid'
  | 'token_payload'
  | 'token_signature'
  | 'token_type'
  /** The revocation feed cannot speak of it: it is older than what the feed knows. */
  | 'token_unknown_to_feed'

/**
 * A request that gets no access. `code` and `description` go to the client: the description is a fixed sentence that holds
 * nothing of the request, and it does not tell which of several checks failed. `reason` is for logs and tests.
 */
export class AccessRefusal extends Error {
  override readonly name = 'AccessRefusal'
  readonly code: AccessRefusalCode
  readonly description: string
  readonly reason: AccessRefusalReason

  constructor(code: AccessRefusalCode, reason: AccessRefusalReason, cause?: unknown) {
    super(`${code}: ${reason}`, { cause })
    this.code = code
    this.description = descriptions[code]
    this.reason = reason
  }
}

/** What is said of every access token that is not accepted. */
export const invalidToken = (reason: AccessRefusalReason): AccessRefusal => new AccessRefusal('invalid_token', reason)

/** What is said when the authorization server did not answer, or not as it should: neither yes nor no. */
export const unavailable = (cause: unknown): AccessRefusal =>
  new AccessRefusal('temporarily_unavailable', 'authorization_server_unavailable', cause)

const descriptions: Readonly<Record<AccessRefusalCode, string>> = {
  invalid_request: 'Send one access token, in the Authorization header.',
  invalid_token: 'The access token is not valid.',
  insufficient_scope: 'The access token does not have the scope that is needed here.',
  temporarily_unavailable: 'Access cannot be checked now. Try again shortly.',
}
