/** Error codes of RFC 6750 §3.1; `temporarily_unavailable` when the authorization server cannot be asked. */
export type AccessRefusalCode = 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'temporarily_unavailable'

/**
 * Why access was refused, for logs and tests; never sent to a client. Each has a line: the code that a client sees, and
 * what it means.
 */
export type AccessRefusalReason =
  /** temporarily_unavailable: The keys, the introspection or the feed could not be had; `cause` says more. */
  | 'authorization_server_unavailable'
  /** invalid_token: What came in place of an access token is none. */
  | 'bearer_malformed'
  /** invalid_token: No access token came; the answer says how to come back with one. */
  | 'bearer_missing'
  /** invalid_request: More than one access token came. */
  | 'bearer_twice'
  /** insufficient_scope: The access token does not cover the operation. */
  | 'scope_missing'
  /** invalid_token: It is meant for another API. */
  | 'token_audience'
  /** invalid_token: It is bound to a key that the request does not prove to hold (RFC 9449 §7.1, RFC 8705 §3). */
  | 'token_bound'
  /** invalid_token: A claim that an access token must have is missing, or is not what it should be (RFC 9068 §2.2). */
  | 'token_claims'
  /** invalid_token: The revocation feed says that it has ended. */
  | 'token_ended'
  /** invalid_token: It has expired. */
  | 'token_expired'
  /** invalid_token: Its header cannot be read. */
  | 'token_header'
  /** invalid_token: The authorization server, asked about it, says that it is not active. */
  | 'token_inactive'
  /** invalid_token: Another issuer made it. */
  | 'token_issuer'
  /** invalid_token: The issuer has no such key, or not for this algorithm. */
  | 'token_key_unknown'
  /** invalid_token: It is no JWT, or too long. */
  | 'token_malformed'
  /** invalid_token: It is of the future: look at the clocks. */
  | 'token_not_yet_valid'
  /** invalid_token: What it says is not JSON in UTF-8. */
  | 'token_payload'
  /** invalid_token: The signature is wrong. */
  | 'token_signature'
  /** invalid_token: It is a JWT of another kind, such as an ID token. */
  | 'token_type'
  /** invalid_token: The revocation feed cannot speak of it: it is older than what the feed knows. */
  | 'token_unknown_to_feed'

/**
 * A request that gets no access. `code` and `description` go to the client: the description is a fixed sentence that holds
 * nothing of the request, and it does not tell which of several checks failed. `reason` is for logs and tests.
 */
export class AccessRefusedError extends Error {
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
export const invalidToken = (reason: AccessRefusalReason): AccessRefusedError =>
  new AccessRefusedError('invalid_token', reason)

/** What is said when the authorization server did not answer, or not as it should: neither yes nor no. */
export const unavailable = (cause: unknown): AccessRefusedError =>
  new AccessRefusedError('temporarily_unavailable', 'authorization_server_unavailable', cause)

const descriptions: Readonly<Record<AccessRefusalCode, string>> = {
  invalid_request: 'Send one access token, in the Authorization header.',
  invalid_token: 'The access token is not valid.',
  insufficient_scope: 'The access token does not have the scope that is needed here.',
  temporarily_unavailable: 'Access cannot be checked now. Try again shortly.',
}
