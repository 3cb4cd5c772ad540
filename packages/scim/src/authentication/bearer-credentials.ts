import type { ServerRequest } from '@mintmark/core/http'

import { refusal } from '../error/refusal.ts'
import { providerOfSecret } from '../providers/registration.ts'

/**
 * Reads the secret or access token of a request (RFC 7644 §2, RFC 6750 §2.1).
 * @throws ScimError 401 — reasons `credentials_missing`, `credentials_malformed`; 400 — reason `credentials_twice`.
 */
export function bearerCredentials(request: ServerRequest): string {
  const header = request.headers.get('authorization')
  // RFC 6750 §3.1: without credentials, the challenge has no error.
  if (header === undefined || header === '') throw refusal('credentials_missing')
  // RFC 6750 §2: exactly one token; a repeated header contains two.
  if (request.repeatedHeaders.has('authorization')) throw refusal('credentials_twice')
  // Okta's header mode sends the secret without a scheme (seen 2024). The prefix of our secrets makes them unambiguous.
  if (providerOfSecret(header) !== undefined) return header
  // RFC 9110 §11.1: the scheme is case-insensitive. RFC 6750 §2.1: b64token.
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)
  if (match?.[1] === undefined) throw refusal('credentials_malformed')
  return match[1]
}
