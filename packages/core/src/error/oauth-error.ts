import type { DurationSeconds } from '@mintmark/storage-interface'

import type { RefusalContext } from './refusal-context.ts'
import type { RefusalReason } from './refusal-reason.ts'

/** Error codes as registered in IANA's "OAuth Extensions Error Registry", and those of RFC 6749, RFC 6750 and OIDC Core. */
export type OAuthErrorCode =
  | 'access_denied'
  | 'account_selection_required'
  | 'consent_required'
  | 'insufficient_scope'
  | 'interaction_required'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'login_required'
  | 'registration_not_supported'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unmet_authentication_requirements'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

interface OAuthErrorOptions {
  readonly reason: RefusalReason
  readonly cause?: unknown
  readonly context?: RefusalContext
  readonly retryAfter?: DurationSeconds
}

/**
 * A refusal in OAuth's terms. `code` and `description` go to the client: the description is a fixed sentence of printable
 * ASCII without quotes and backslashes (RFC 6749 §5.2) and holds nothing of the request. `reason` is for events and tests.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly description: string
  readonly reason: RefusalReason
  /** Who and what it was about, for events only. */
  readonly context: RefusalContext
  /** Set when the client asked too often: how long it should wait (RFC 6585 §4). */
  readonly retryAfter: DurationSeconds | undefined

  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions) {
    super(`${code}: ${description}`, { cause: options.cause })
    this.code = code
    this.description = description
    this.reason = options.reason
    this.context = options.context ?? {}
    this.retryAfter = options.retryAfter
  }
}
