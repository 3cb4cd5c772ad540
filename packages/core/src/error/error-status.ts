import type { OAuthError } from './oauth-error.ts'

/** The HTTP status of an error that is not sent by redirect (RFC 6749 §5.2, RFC 6750 §3.1, RFC 6585 §4). */
export function errorStatus(error: OAuthError): number {
  if (error.retryAfter !== undefined) return 429
  switch (error.code) {
    case 'invalid_client':
    case 'invalid_token':
      return 401
    case 'access_denied':
    case 'insufficient_scope':
      return 403
    case 'server_error':
      return 500
    case 'temporarily_unavailable':
      return 503
    default:
      return 400
  }
}
