import type { OAuthErrorCode } from './oauth-error.ts'

/** The HTTP status of an error that is not sent by redirect (RFC 6749 §5.2, RFC 6750 §3.1). */
export function errorStatus(code: OAuthErrorCode): number {
  switch (code) {
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
