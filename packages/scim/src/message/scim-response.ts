import { type Header, noStore, type ServerResponse } from '@mintmark/core/http'
import type { RateDecision } from '@mintmark/core/internal'
import type { JsonText } from '@mintmark/storage-interface/stores'

import { renderScimError, type ScimError } from '../error/scim-error.ts'

/** A SCIM response (RFC 7644 §3.1, §3.8). It is not cached, because it contains personal data. */
export const scimResponse = (status: number, body: object, headers?: readonly Header[]): ServerResponse =>
  textResponse(status, JSON.stringify(body), headers)

/** A SCIM response whose body is already JSON text. */
export const textResponse = (status: number, body: string, headers: readonly Header[] = []): ServerResponse => ({
  status,
  headers: [['Content-Type', 'application/scim+json'], ['X-Content-Type-Options', 'nosniff'], ...noStore, ...headers],
  body,
})

/** A response without content. */
export const emptyResponse = (headers: readonly Header[] = []): ServerResponse => withoutContent(204, headers)

const withoutContent = (status: 204 | 304, headers: readonly Header[]): ServerResponse => ({
  status,
  headers: [...noStore, ...headers],
  body: undefined,
})

/** A response with one resource, with its version and location as headers (RFC 7644 §3.14). */
export function resourceResponse(
  status: 200 | 201,
  shown: JsonText,
  { location, version }: ResourceHeaders,
): ServerResponse {
  const address: Header = [status === 201 ? 'Location' : 'Content-Location', location]
  return textResponse(status, shown, [['ETag', version], address])
}

/** A 304 response, with the headers of the full response (RFC 9110 §15.4.5). */
export const notModifiedResponse = ({ location, version }: ResourceHeaders): ServerResponse =>
  withoutContent(304, [
    ['ETag', version],
    ['Content-Location', location],
  ])

interface ResourceHeaders {
  readonly location: string
  /** A weak entity tag. */
  readonly version: string
}

/** The answer to a refusal (RFC 7644 §3.12): a SCIM error body, always, and what HTTP wants beside it. */
export const renderRefusal = (error: ScimError): ServerResponse =>
  scimResponse(error.status, renderScimError(error), headersOf(error))

function headersOf({ status, reason }: ScimError): readonly Header[] {
  // RFC 6750 §3: the scheme, and an error only when a token was presented.
  if (reason === 'credentials_missing') return [['WWW-Authenticate', 'Bearer realm="scim"']]
  if (status === 401) return [['WWW-Authenticate', 'Bearer realm="scim", error="invalid_token"']]
  if (reason === 'scope_missing')
    return [['WWW-Authenticate', 'Bearer realm="scim", error="insufficient_scope", scope="scim"']]
  return status === 503 ? [['Retry-After', '5']] : []
}

/**
 * What a decision tells a provider (RFC 6585 §4). Besides `Retry-After`, the names that SailPoint reads and slows down by (seen
 * 2026); `Reset` and `Retry-After` are seconds from now.
 */
export function rateLimitHeaders(decision: RateDecision): readonly Header[] {
  const { quota } = decision
  const told: readonly Header[] =
    quota === undefined
      ? []
      : [
          ['X-Rate-Limit-Limit', String(quota.limit)],
          ['X-Rate-Limit-Remaining', String(quota.remaining)],
          ['X-Rate-Limit-Reset', String(quota.resetAfter)],
        ]
  if (decision.allowed) return told
  const retryAfter = String(decision.retryAfter)
  return [...told, ['Retry-After', retryAfter], ['X-Rate-Limit-Retry-After-Seconds', retryAfter]]
}
