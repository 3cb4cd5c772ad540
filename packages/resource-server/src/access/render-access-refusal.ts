import type { AccessRefusedError, AccessRefusalCode } from './access-refusal.ts'

/** An answer in JSON, for whatever framework is to send it. */
export interface JsonAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a challenge tells a client that comes back. */
export interface ChallengeDetails {
  /** The scope values that are needed. */
  readonly scopes: readonly string[]
  /** The address of the protected resource metadata (RFC 9728 §5.1). */
  readonly metadataUrl: string | undefined
}

/**
 * The answer to a request that gets no access (RFC 6750 §3). A request without a token gets a challenge that says nothing
 * of an error.
 */
export function renderAccessRefusal(refusal: AccessRefusedError, details: ChallengeDetails): JsonAnswer {
  const { code, description, reason } = refusal
  const isBare = reason === 'bearer_missing'
  const challenge = [
    ...(isBare ? [] : [`error="${code}"`, `error_description="${description}"`]),
    // RFC 6750 §3: what is needed here, whether or not the token that came was good.
    ...(details.scopes.length === 0 ? [] : [`scope="${details.scopes.join(' ')}"`]),
    ...(details.metadataUrl === undefined ? [] : [`resource_metadata="${details.metadataUrl}"`]),
  ].join(', ')

  return {
    status: statusOf[code],
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      // RFC 6750 §3: the challenge has at least one parameter.
      ...(code === 'temporarily_unavailable'
        ? { 'Retry-After': '5' }
        : { 'WWW-Authenticate': `Bearer ${challenge || 'realm="api"'}` }),
    },
    body: JSON.stringify(isBare ? {} : { error: code, error_description: description }),
  }
}

const statusOf: Readonly<Record<AccessRefusalCode, number>> = {
  invalid_request: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  temporarily_unavailable: 503,
}
