import type { Parameters } from './parameters.ts'
import { refuse } from '../refusals.ts'

/**
 * The `token` parameter of introspection and revocation (RFC 7662 §2.1, RFC 7009 §2.1).
 * @throws OAuthError invalid_request — reason `token_missing`.
 */
export function requireToken(form: Parameters): string {
  const token = form.get('token')
  // RFC 7662 §2.1, RFC 7009 §2.1: token is required.
  if (token === undefined) throw refuse('token_missing')
  return token
}
