import { json, noStore, type Header, type ServerResponse } from '@mintmark/internal'
import type { OAuthError } from '../refusals.ts'

/** The error answer of an API endpoint (RFC 6749 §5.2). */
export const renderOAuthError = (error: OAuthError): ServerResponse =>
  json(error.status, { error: error.code, error_description: error.description }, [
    ...noStore,
    ...challengeHeaders(error),
  ])

function challengeHeaders(error: OAuthError): readonly Header[] {
  // RFC 6749 §5.2: a 401 names the scheme to use; always the same one, whatever the client had tried.
  if (error.code === 'invalid_client') return [['WWW-Authenticate', 'Basic realm="token", charset="UTF-8"']]
  return retryAfterHeaders(error)
}

/** How many seconds to wait before asking again: what the refusal says, or a moment when the service is down (RFC 9110 §10.2.3). */
export function retryAfterHeaders(error: OAuthError): readonly Header[] {
  if (error.retryAfter !== undefined) return [['Retry-After', String(error.retryAfter)]]
  return error.code === 'temporarily_unavailable' ? [['Retry-After', '5']] : []
}
