import type { AccessTokenClaims } from './access-token.ts'
import { refuse } from './refusals.ts'

/** An access token and the authentication scheme with which it was sent. */
export interface PresentedToken {
  readonly scheme: 'Bearer' | 'DPoP'
  readonly token: string
}

/**
 * Reads the access token of a request (RFC 6750 §2.1, RFC 9449 §7.1). Tokens in a form or in the URL are ignored; a URL
 * would put them into logs (RFC 9700 §4.3.2).
 * @param authorization the values of all Authorization headers of the request.
 * @throws AccessRefusedError `bearer_missing` without a token or with another authentication scheme; `bearer_malformed`;
 *   `bearer_twice`.
 */
export function readAccessToken(
  authorization: readonly string[],
  schemes: readonly ('Bearer' | 'DPoP')[] = ['Bearer'],
): PresentedToken {
  const [value, second] = authorization
  // RFC 9110 §5.3: Authorization is not a list, so a repeated header is two credentials.
  if (second !== undefined) throw refuse('bearer_twice')
  // RFC 6750 §3.1: without a token, or with another scheme, the client gets a challenge without an error code.
  const scheme = schemes.find((name) => new RegExp(`^${name}(?: |$)`, 'i').test(value ?? ''))
  if (value === undefined || scheme === undefined) throw refuse('bearer_missing')
  // RFC 6750 §2.1: b64token.
  const match = /^\w+ +([A-Za-z0-9._~+/-]+=*)$/.exec(value)
  if (match?.[1] === undefined) throw refuse('bearer_malformed')
  return { scheme, token: match[1] }
}

/** @throws AccessRefusedError `scope_missing` when the token lacks one of the scope values. */
export function requireScopes(token: AccessTokenClaims, scopes: readonly string[]): void {
  // RFC 6750 §3.1: the request requires higher privileges than provided by the access token.
  if (!scopes.every((scope) => token.scopes.includes(scope))) throw refuse('scope_missing')
}

/** @throws AccessRefusedError `detail_missing` when the token has no entry of the type. */
export function requireDetailOf(token: AccessTokenClaims, type: string | undefined): void {
  // RFC 9396 §9, RFC 6750 §3.1: the user has not granted anything of this type.
  if (type !== undefined && token.authorizationDetails.every((detail) => detail.type !== type))
    throw refuse('detail_missing')
}

/** @throws TypeError when a string is not a scope value (RFC 6749 §3.3): tokens never contain it. */
export function checkScopeNames(scopes: readonly string[]): void {
  if (scopes.length === 0)
    throw new TypeError('require needs a scope value. To admit every token for this API, use requireAnyToken().')
  for (const scope of scopes as readonly unknown[])
    if (typeof scope !== 'string' || !scopeToken.test(scope))
      throw new TypeError(`${JSON.stringify(scope)} is not a scope value. Pass each value separately, without spaces.`)
}

/** RFC 6749 §3.3: visible ASCII without space, quote and backslash. */
export const scopeToken = /^[\x21\x23-\x5B\x5D-\x7E]+$/
