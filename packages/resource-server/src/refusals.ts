import { proofAlgorithms } from '@mintmark/internal'

/** The status and the description of each error code that clients see (RFC 6750 §3.1). */
const codes = {
  invalid_request: { status: 400, description: 'Send one access token, in the Authorization header.' },
  invalid_token: { status: 401, description: 'The access token is not valid.' },
  // RFC 9449 §7.1.
  invalid_dpop_proof: { status: 401, description: 'The DPoP proof is not valid.' },
  insufficient_scope: {
    status: 403,
    description: 'The access token does not have the required scope.',
  },
  // RFC 9470 §3.
  insufficient_user_authentication: {
    status: 401,
    description: 'The user must sign in again, in the way that acr_values and max_age describe.',
  },
  // RFC 9110 §15.5.4: a token with more scope values would not help, so there is no challenge that asks for one.
  access_denied: { status: 403, description: 'The user is not allowed to do this.' },
  // RFC 9110 §15.6.4: the request can be neither admitted nor denied.
  temporarily_unavailable: {
    status: 503,
    description: 'The access token cannot be checked at the moment. Try again shortly.',
  },
} as const

type AccessRefusalCode = keyof typeof codes

/** Every reason for a refusal, with the code that the client sees, the meaning, and the section of the standard. */
export const refusals = {
  bearer_missing: ['invalid_token', 'The request has no access token.', 'RFC 6750 §3.1'],
  bearer_malformed: [
    'invalid_token',
    'The Authorization header contains no well-formed access token.',
    'RFC 6750 §2.1',
  ],
  bearer_twice: ['invalid_request', 'The request has more than one access token.', 'RFC 6750 §3.1'],

  token_malformed: ['invalid_token', 'The token is not a compact JWS, or it is too long.', 'RFC 7515 §7.1'],
  token_header: [
    'invalid_token',
    'The header cannot be read, or has members other than alg, typ and kid.',
    'RFC 7515 §5.2',
  ],
  token_type: ['invalid_token', 'The token is a JWT of another type, such as an ID token.', 'RFC 8725 §3.11'],
  token_key_unknown: [
    'invalid_token',
    'The issuer publishes no key with this key identifier and algorithm.',
    'RFC 8725 §3.1',
  ],
  token_signature: ['invalid_token', 'The signature is wrong.', 'RFC 7515 §5.2'],
  token_payload: ['invalid_token', 'The payload is not a JSON object in UTF-8.', 'RFC 7519 §7.2'],

  token_issuer: ['invalid_token', 'Another issuer issued the token.', 'RFC 9068 §4'],
  token_claims: ['invalid_token', 'A required claim is missing or has another type.', 'RFC 9068 §2.2'],
  token_audience: ['invalid_token', 'The token is meant for another API.', 'RFC 9068 §4'],
  token_expired: ['invalid_token', 'The token has expired.', 'RFC 7519 §4.1.4'],
  token_not_yet_valid: ['invalid_token', 'The token is not valid yet. The clocks may differ.', 'RFC 7519 §4.1.5'],
  token_bound: [
    'invalid_token',
    'The token is bound to a key, and the request does not prove possession of it.',
    'RFC 9449 §7.1, RFC 8705 §3',
  ],

  token_unbound: [
    'invalid_token',
    'The token is not bound to the key that was proven, or this API accepts only bound tokens.',
    'RFC 9449 §7.1',
  ],

  proof_missing: [
    'invalid_dpop_proof',
    'The token was sent with the DPoP scheme, but without a proof.',
    'RFC 9449 §7.1',
  ],
  proof_malformed: ['invalid_dpop_proof', 'The request has two proofs, or the proof is malformed.', 'RFC 9449 §4.3'],
  proof_target: [
    'invalid_dpop_proof',
    'The proof is for another method or URL. Compare its URL with the option dpop.origin.',
    'RFC 9449 §4.3',
  ],
  proof_time: ['invalid_dpop_proof', 'The proof is too old or from the future.', 'RFC 9449 §11.1'],
  proof_token_hash: ['invalid_dpop_proof', 'The proof is for another access token.', 'RFC 9449 §4.3'],
  proof_signature: ['invalid_dpop_proof', 'The proof was not signed with the key in its header.', 'RFC 9449 §4.3'],
  proof_replayed: ['invalid_dpop_proof', 'The proof was used before.', 'RFC 9449 §11.1'],

  token_inactive: ['invalid_token', 'Introspection says that the token is not active.', 'RFC 7662 §2.2'],
  token_revoked: [
    'invalid_token',
    'The revocation feed lists the token, or something that it depends on.',
    'RFC 7009 §2.1',
  ],
  token_unknown_to_feed: [
    'invalid_token',
    'The token was issued before the period that the revocation feed covers, and introspection is not configured.',
    'RFC 9068 §4',
  ],
  scope_missing: ['insufficient_scope', 'The token lacks a scope value that the operation needs.', 'RFC 6750 §3.1'],
  detail_missing: [
    'insufficient_scope',
    'The token has no authorization detail of the type that the operation needs.',
    'RFC 9396 §9, RFC 6750 §3.1',
  ],
  authentication_insufficient: [
    'insufficient_user_authentication',
    'The acr of the token is not one of the required values, and not ranked above one of them.',
    'RFC 9470 §3',
  ],
  authentication_too_old: [
    'insufficient_user_authentication',
    'The user signed in longer ago than the operation allows, or the token has no auth_time.',
    'RFC 9470 §3',
  ],
  organization_missing: [
    'insufficient_scope',
    'The token is not for an organization: the client did not request the scope organization.',
    'RFC 6750 §3.1',
  ],
  organization_other: ['access_denied', 'The token is for another organization.', 'RFC 9110 §15.5.4'],
  claim_missing: [
    'access_denied',
    'The user has none of the roles, groups or entitlements that the operation needs.',
    'RFC 9068 §2.2.3, RFC 9110 §15.5.4',
  ],
  claim_omitted: [
    'access_denied',
    'The token omits the roles, groups or entitlements that the operation needs, because they are too large. The claim claims_overflow names them.',
    'RFC 9068 §2.2.3, RFC 9110 §15.5.4',
  ],
  authorization_server_unavailable: [
    'temporarily_unavailable',
    'The keys, the introspection response or the revocation feed could not be read; `cause` has the error.',
    'RFC 9110 §15.6.4',
  ],
} as const satisfies Readonly<Record<string, readonly [AccessRefusalCode, string, string]>>

/** The reason why access was refused, for logs and tests. It is never sent to a client. */
export type AccessRefusalReason = keyof typeof refusals

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

  constructor(reason: AccessRefusalReason, cause?: unknown, comparison?: string) {
    const [code] = refusals[reason]
    const { [reason]: todo } = advice
    super([`${code}: ${reason}${comparison === undefined ? '' : `: ${comparison}`}`, todo ?? []].flat().join('. '), {
      cause,
    })
    this.comparison = comparison
    this.code = code
    this.description = codes[code].description
    this.reason = reason
  }
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

/** Creates the error for a refusal. The table of refusals has the section of the standard. */
export const refuse = (reason: AccessRefusalReason, cause?: unknown): AccessRefusedError =>
  new AccessRefusedError(reason, cause)

/** Creates the error for a claim that differs from what the API expects. It is for logs and is not sent to the client. */
export const refuseClaim = (reason: AccessRefusalReason, comparison: string): AccessRefusedError =>
  new AccessRefusedError(reason, undefined, comparison)

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
    status: codes[code].status,
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
