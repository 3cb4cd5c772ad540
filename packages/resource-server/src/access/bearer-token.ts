import { AccessRefusedError, invalidToken } from './access-refusal.ts'

/**
 * Reads the bearer token of a request (RFC 6750 §2.1). Tokens in a form or in the address are not looked for: addresses
 * end up in logs (RFC 9700 §4.3.2).
 * @param authorization the values of all Authorization headers that came.
 * @throws AccessRefusal invalid_token — reason `bearer_missing`, also when the request authenticates in another way, which
 *   deserves a bare challenge (RFC 6750 §3.1); `bearer_malformed`; invalid_request — reason `bearer_twice`.
 */
export function readBearerToken(authorization: readonly string[]): string {
  const [value, second] = authorization
  // RFC 9110 §5.3: Authorization is no list, so a repeated one is two credentials.
  if (second !== undefined) throw new AccessRefusedError('invalid_request', 'bearer_twice')
  // RFC 6750 §3.1: without a token, or with a scheme that is not Bearer, there is nothing to say but how to come back.
  if (value === undefined || !/^bearer(?: |$)/i.test(value)) throw invalidToken('bearer_missing')
  // RFC 6750 §2.1: b64token.
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(value)
  if (match?.[1] === undefined) throw invalidToken('bearer_malformed')
  return match[1]
}
