import type { AccessTokenClaims } from '../access-token/access-token-claims.ts'
import { AccessRefusedError } from './access-refusal.ts'

/** @throws AccessRefusal insufficient_scope — reason `scope_missing`, when the token lacks one of the scope values. */
export function requireScopes(token: AccessTokenClaims, scopes: readonly string[]): void {
  // RFC 6750 §3.1: the request requires higher privileges than provided by the access token.
  if (!scopes.every((scope) => token.scopes.includes(scope)))
    throw new AccessRefusedError('insufficient_scope', 'scope_missing')
}

/** @throws TypeError when one of them is no scope value, which no token could ever have (RFC 6749 §3.3). */
export function checkScopeNames(scopes: readonly string[]): void {
  const wrong = scopes.find((scope) => !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope))
  if (wrong !== undefined)
    throw new TypeError(`${JSON.stringify(wrong)} is no scope value: give each value by itself, without spaces.`)
}
