import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from './parameters.ts'

/**
 * The `token` parameter of introspection and revocation (RFC 7662 §2.1, RFC 7009 §2.1).
 * @throws OAuthError invalid_request — reason `token_missing`.
 */
export function requireToken(form: Parameters): string {
  const token = form.get('token')
  // RFC 7662 §2.1, RFC 7009 §2.1: token is required.
  if (token === undefined)
    throw new OAuthError('invalid_request', 'The token parameter is missing.', { reason: 'token_missing' })
  return token
}
