import type { OAuthError, OAuthErrorCode } from './oauth-error.ts'

/** The HTTP status of an error that is not sent by redirect (RFC 6749 §5.2, RFC 6750 §3.1, RFC 6585 §4). */
export const errorStatus = (error: OAuthError): number => (error.retryAfter === undefined ? statusOf[error.code] : 429)

const statusOf: Readonly<Record<OAuthErrorCode, number>> = {
  access_denied: 403,
  account_selection_required: 400,
  consent_required: 400,
  insufficient_scope: 403,
  interaction_required: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_request: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_token: 401,
  login_required: 400,
  registration_not_supported: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  unauthorized_client: 400,
  unmet_authentication_requirements: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
}
