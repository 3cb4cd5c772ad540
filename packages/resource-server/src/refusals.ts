import { defineRefusals, proofAlgorithms } from '@mintmark/internal'

// The answers that clients see (RFC 6750 §3.1). They do not reveal which of several checks failed.
const invalidRequest = {
  status: 400,
  code: 'invalid_request',
  sentence: 'Send one access token, in the Authorization header.',
} as const
const invalidToken = { status: 401, code: 'invalid_token', sentence: 'The access token is not valid.' } as const
const invalidProof = { status: 401, code: 'invalid_dpop_proof', sentence: 'The DPoP proof is not valid.' } as const
const insufficientScope = {
  status: 403,
  code: 'insufficient_scope',
  sentence: 'The access token does not have the required scope.',
} as const
const signInAgain = {
  status: 401,
  code: 'insufficient_user_authentication',
  sentence: 'The user must sign in again, in the way that acr_values and max_age describe.',
} as const
// RFC 9110 §15.5.4: a token with more scope values would not help, so there is no challenge that asks for one.
const denied = { status: 403, code: 'access_denied', sentence: 'The user is not allowed to do this.' } as const
// RFC 9110 §15.6.4: the request can be neither admitted nor denied.
const unavailable = {
  status: 503,
  code: 'temporarily_unavailable',
  sentence: 'The access token cannot be checked at the moment. Try again shortly.',
} as const

/** Every refusal. The comments are for the operators of the API. */
export const refusals = /* @__PURE__ */ defineRefusals(() => ({
  /** The request has no access token. */
  bearer_missing: { ...invalidToken, section: 'RFC 6750 §3.1' },
  /** The Authorization header contains no well-formed access token. */
  bearer_malformed: { ...invalidToken, section: 'RFC 6750 §2.1' },
  /** The request has more than one access token. */
  bearer_twice: { ...invalidRequest, section: 'RFC 6750 §3.1' },

  /** The token is not a compact JWS, or it is too long. */
  token_malformed: { ...invalidToken, section: 'RFC 7515 §7.1' },
  /** The header cannot be read, or has members other than the strings alg, typ and kid. */
  token_header: { ...invalidToken, section: 'RFC 7515 §5.2' },
  /** The token is a JWT of another type, such as an ID token. */
  token_type: { ...invalidToken, section: 'RFC 8725 §3.11' },
  /** The issuer publishes no key with this key identifier and algorithm. */
  token_key_unknown: { ...invalidToken, section: 'RFC 8725 §3.1' },
  /** The signature is wrong. */
  token_signature: { ...invalidToken, section: 'RFC 7515 §5.2' },
  /** The payload is not a JSON object in UTF-8. */
  token_payload: { ...invalidToken, section: 'RFC 7519 §7.2' },

  /** Another issuer issued the token. */
  token_issuer: { ...invalidToken, section: 'RFC 9068 §4' },
  /** A required claim is missing or has another type. */
  token_claims: { ...invalidToken, section: 'RFC 9068 §2.2' },
  /** The token is meant for another API. */
  token_audience: { ...invalidToken, section: 'RFC 9068 §4' },
  /** The token has expired. */
  token_expired: { ...invalidToken, section: 'RFC 7519 §4.1.4' },
  /** The token is not valid yet. The clocks may differ. */
  token_not_yet_valid: { ...invalidToken, section: 'RFC 7519 §4.1.5' },
  /** The token is bound to a key, and the request does not prove possession of it. */
  token_bound: { ...invalidToken, section: 'RFC 9449 §7.1, RFC 8705 §3' },

  /** The token is not bound to the key that was proven, or this API accepts only bound tokens. */
  token_unbound: { ...invalidToken, section: 'RFC 9449 §7.1' },

  /** The token was sent with the DPoP scheme, but without a proof. */
  proof_missing: { ...invalidProof, section: 'RFC 9449 §7.1' },
  /** The request has two proofs, or the proof is malformed. */
  proof_malformed: { ...invalidProof, section: 'RFC 9449 §4.3' },
  /** The proof is for another method or URL. Compare its URL with the option dpop.origin. */
  proof_target: { ...invalidProof, section: 'RFC 9449 §4.3' },
  /** The proof is too old or from the future. */
  proof_time: { ...invalidProof, section: 'RFC 9449 §11.1' },
  /** The proof is for another access token. */
  proof_token_hash: { ...invalidProof, section: 'RFC 9449 §4.3' },
  /** The proof was not signed with the key in its header. */
  proof_signature: { ...invalidProof, section: 'RFC 9449 §4.3' },
  /** The proof was used before. */
  proof_replayed: { ...invalidProof, section: 'RFC 9449 §11.1' },

  /** Introspection says that the token is not active. */
  token_inactive: { ...invalidToken, section: 'RFC 7662 §2.2' },
  /** The revocation feed lists the token, or something that it depends on. */
  token_revoked: { ...invalidToken, section: 'RFC 7009 §2.1' },
  /** The token was issued before the period that the revocation feed covers, and introspection is not configured. */
  token_unknown_to_feed: { ...invalidToken, section: 'RFC 9068 §4' },
  /** The token lacks a scope value that the operation needs. */
  scope_missing: { ...insufficientScope, section: 'RFC 6750 §3.1' },
  /** The token has no authorization detail of the type that the operation needs. */
  detail_missing: { ...insufficientScope, section: 'RFC 9396 §9, RFC 6750 §3.1' },
  /** The acr of the token is not one of the required values, and not ranked above one of them. */
  authentication_insufficient: { ...signInAgain, section: 'RFC 9470 §3' },
  /** The user signed in longer ago than the operation allows, or the token has no auth_time. */
  authentication_too_old: { ...signInAgain, section: 'RFC 9470 §3' },
  /** The token is not for an organization: the client did not request the scope organization. */
  organization_missing: { ...insufficientScope, section: 'RFC 6750 §3.1' },
  /** The token is for another organization. */
  organization_other: { ...denied, section: 'RFC 9110 §15.5.4' },
  /** The user has none of the roles, groups or entitlements that the operation needs. */
  claim_missing: { ...denied, section: 'RFC 9068 §2.2.3, RFC 9110 §15.5.4' },
  /**
   * The token omits the roles, groups or entitlements that the operation needs, because they are too large. The
   * claim claims_overflow names them.
   */
  claim_omitted: { ...denied, section: 'RFC 9068 §2.2.3, RFC 9110 §15.5.4' },
  /** The keys, the introspection response or the revocation feed could not be read; `cause` has the error. */
  authorization_server_unavailable: { ...unavailable, section: 'RFC 9110 §15.6.4' },
}))

/** The reason why access was refused, for logs and tests. It is never sent to a client. */
export type AccessRefusalReason = keyof typeof refusals

type AccessRefusalCode = (typeof refusals)[AccessRefusalReason]['code']

/**
 * Says that a request is not authorized. `code` and `description` are sent to the client. The description is a fixed
 * sentence that contains no part of the request and does not reveal which of several checks failed. `reason` is for
 * logs and tests.
 */
export class AccessRefusedError extends Error {
  override readonly name = 'AccessRefusedError'
  readonly code: AccessRefusalCode
  readonly description: string
  readonly reason: AccessRefusalReason
  /** What was expected and what the token has, for the issuer, the audience and the times; otherwise undefined. */
  readonly comparison: string | undefined

  constructor(reason: AccessRefusalReason, { cause, comparison }: AccessRefusalDetails = {}) {
    const { code, sentence } = refusals[reason]
    const { [reason]: todo } = advice
    const details = comparison ?? (code === 'temporarily_unavailable' ? messagesOf(cause) : '')
    super([`${code}: ${reason}${details === '' ? '' : `: ${details}`}`, todo ?? []].flat().join('. '), { cause })
    this.comparison = comparison
    this.code = code
    this.description = sentence
    this.reason = reason
  }
}

/** Says which request to the authorization server failed, and why: a wrong issuer or port would otherwise be hard to find. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const own = error.message !== '' || !('code' in error) ? error.message : String(error.code)
  return [own.replace(/\.$/, ''), messagesOf(error.cause)].filter((text) => text !== '').join(': ')
}

interface AccessRefusalDetails {
  readonly cause?: unknown
  /** What was expected and what the token has. It is for logs and is not sent to the client. */
  readonly comparison?: string
}

/** What a developer can do about the refusals that occur while an API is being set up. Clients never see it. */
const advice: Readonly<Partial<Record<AccessRefusalReason, string>>> = {
  bearer_malformed: 'Send one access token: Authorization: Bearer TOKEN',
  token_malformed: 'An opaque token needs the option introspection',
  token_type: 'Send the access token, not the ID token',
  token_key_unknown: 'Only tokens of this issuer are accepted',
  token_issuer: 'Set issuer exactly as in the options of the authorization server',
  token_audience:
    'Set audience to the key of this API in the option resources of the authorization server, and let the client request that resource',
  token_expired: 'The client must refresh its token',
  token_not_yet_valid: 'Synchronize the clocks',
  scope_missing: 'The client must be registered for the scope value and request it, and the user must consent',
}

/** Creates the error to throw for a refusal. */
export const refuse = (reason: AccessRefusalReason, details: AccessRefusalDetails = {}): AccessRefusedError =>
  new AccessRefusedError(reason, details)

/** A JSON response that any framework can send. */
export interface JsonResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The parameters of a challenge. */
interface ChallengeDetails {
  /** The scope values that the operation needs. */
  readonly scopes: readonly string[]
  /** How the user must sign in, as parameters (RFC 9470 §3). */
  readonly authentication?: readonly string[]
  /** The URL of the protected resource metadata (RFC 9728 §5.1). */
  readonly metadataUrl: string | undefined
  /** The schemes that the API accepts. */
  readonly schemes?: readonly ('Bearer' | 'DPoP')[]
  /** The scheme that the request used. */
  readonly used?: 'Bearer' | 'DPoP'
}

/** Renders the response to a refused request (RFC 6750 §3). Without a token, the challenge has no error code (§3.1). */
export function renderAccessRefusal(
  { code, description, reason }: AccessRefusedError,
  { scopes, authentication = [], metadataUrl, schemes = ['Bearer'], used = 'Bearer' }: ChallengeDetails,
): JsonResponse {
  const hasNoToken = reason === 'bearer_missing'
  const challengeOf = (scheme: 'Bearer' | 'DPoP'): string => {
    // Only the challenge for the scheme that the request used has the error, unless the API does not accept that scheme.
    const parameters = [
      ...(hasNoToken || (scheme !== used && schemes.includes(used)) ? [] : errorParameters),
      ...(scheme === 'DPoP' ? [`algs="${proofAlgorithms.join(' ')}"`] : []),
      ...shared,
    ].join(', ')
    // RFC 6750 §3: the challenge must have at least one parameter.
    return `${scheme} ${parameters || 'realm="api"'}`
  }
  const errorParameters = [
    `error="${code}"`,
    `error_description="${description}"`,
    ...(code === 'insufficient_user_authentication' ? authentication : []),
  ]
  const shared = [
    // RFC 6750 §3: the challenge names the required scope, whether or not the token was valid.
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
  ]

  return {
    status: refusals[reason].status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(code === 'temporarily_unavailable' && { 'Retry-After': '5' }),
      // RFC 9110 §11.6.1: the header has one challenge for each scheme.
      ...(code !== 'temporarily_unavailable' &&
        code !== 'access_denied' && { 'WWW-Authenticate': schemes.map(challengeOf).join(', ') }),
    },
    body: JSON.stringify(hasNoToken ? {} : { error: code, error_description: description }),
  }
}
