import { errorStatus } from '../error/error-status.ts'
import type { OAuthError } from '../error/oauth-error.ts'
import { retryAfterHeaders } from '../error/render-oauth-error.ts'
import { json, noStore, type ServerResponse } from '../http/index.ts'

/**
 * The error answer of an endpoint that takes a bearer token (RFC 6750 §3). A request without a token gets a bare
 * challenge, which tells nothing.
 */
export function renderBearerError(error: OAuthError): ServerResponse {
  const { code, description, reason } = error
  const isBare = reason === 'bearer_missing'
  const attributes = isBare ? [] : [`error="${code}"`, `error_description="${description}"`]
  // RFC 6750 §3.1: insufficient_scope names the scope that is needed.
  if (code === 'insufficient_scope') attributes.push('scope="openid"')

  const challenge = ['WWW-Authenticate', ['Bearer realm="userinfo"', ...attributes].join(', ')] as const
  const isChallenge = errorStatus(error) === 401 || errorStatus(error) === 403
  const body = isBare ? {} : { error: code, error_description: description }
  return json(errorStatus(error), body, [...noStore, ...(isChallenge ? [challenge] : retryAfterHeaders(error))])
}
