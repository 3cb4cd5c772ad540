import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'

/** What a client presents to redeem a code (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export interface CodePresentation {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string | undefined
  /** The resources that the access token is for; empty means all that were granted (RFC 8707 §2.2). */
  readonly resources: readonly string[]
}

/** @throws OAuthError invalid_request — reason `code_missing` | `redirect_uri_missing`. */
export function parseCodePresentation(form: Parameters): CodePresentation {
  const code = form.get('code')
  const redirectUri = form.get('redirect_uri')
  // RFC 6749 §4.1.3: code is required.
  if (code === undefined)
    throw new OAuthError('invalid_request', 'The code parameter is missing.', { reason: 'code_missing' })
  // RFC 6749 §4.1.3: redirect_uri is required when the authorization request had one, and here it always has.
  if (redirectUri === undefined) {
    throw new OAuthError('invalid_request', 'The redirect_uri parameter is missing.', {
      reason: 'redirect_uri_missing',
    })
  }
  return { code, redirectUri, codeVerifier: form.get('code_verifier'), resources: form.all('resource') }
}
