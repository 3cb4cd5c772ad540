import type { ServerRequest } from '@mintmark/core/http'

import { refusal } from '../error/refusal.ts'
import { providerOfSecret } from '../providers/registration.ts'

/**
 * The secret token, or access token, that a request presents (RFC 7644 §2, RFC 6750 §2.1).
 * @throws ScimError 401 — reasons `credentials_missing`, `credentials_malformed`; 400 — reason `credentials_twice`.
 */
export function bearerCredentials(request: ServerRequest): string {
  const header = request.headers.get('authorization')
  // RFC 6750 §3.1: no credentials, and so a bare challenge.
  if (header === undefined || header === '') throw refusal('credentials_missing')
  // RFC 6750 §2: one token; a repeated header is two.
  if (request.repeatedHeaders.has('authorization')) throw refusal('credentials_twice')
  // Okta's header mode sends the secret without a scheme (seen 2024): our own secrets cannot be taken for anything else.
  if (providerOfSecret(header) !== undefined) return header
  // RFC 9110 §11.1: the scheme's name is case-insensitive. RFC 6750 §2.1: b64token.
  const match = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)
  if (match?.[1] === undefined) throw refusal('credentials_malformed')
  return match[1]
}
