import { type Header, noStore, type ServerResponse } from '@mintmark/core/http'
import {
  compareEntityTags,
  decodeBody,
  hasMediaType,
  parseQuery,
  runInTurns,
  type ServerRequest,
} from '@mintmark/internal'
import type { RateDecision } from '@mintmark/core/internal'

import { refuse, renderScimError, type ScimError } from '../error/scim-error.ts'
import { parseProjection, type RequestedAttributes, splitAttributeNames } from '../resource/resource.ts'
import type { Projection, RenderedResource } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { ScimCall } from './scim-call.ts'
import { parseJson } from '../values/parse-json.ts'
import { nameKey } from '../values/text.ts'

/**
 * Parses the body of a request as JSON (RFC 7644 §3.8).
 * @throws ScimError 415 — reason `media_type`; the reasons of `parseJson`.
 */
export async function readMessage({
  request,
  message,
  turns,
}: Pick<ScimCall, 'request' | 'message' | 'turns'>): Promise<unknown> {
  if (message !== undefined) return message
  // RFC 7644 §3.8: application/scim+json, and application/json.
  if (!hasMediaType(request, ['application/scim+json', 'application/json'])) throw refuse('media_type')
  const text = decodeBody(request.body)
  // RFC 8259 §8.1: JSON is UTF-8.
  if (text === undefined) throw refuse('body_malformed')
  return runInTurns(parseJson(text), turns)
}

/** The parameters of a query, by lower-case name. */
export type Query = ReadonlyMap<string, string>

/**
 * Parses the query of a request (RFC 7644 §3.4.2). Unknown parameters are ignored, even when repeated.
 * @throws ScimError invalidSyntax — reason `query_malformed`; invalidFilter — reason `filter_repeated`.
 */
export function readQuery(request: ServerRequest): Query {
  const list = parseQuery(request.url.search.slice(1), maximumParameters)
  if ('malformed' in list) throw refuse('query_malformed')
  const query = new Map<string, string>()
  for (const [name, value] of list) {
    const key = nameKey(name)
    // RFC 7644 §3.4.2: each parameter once. With two filters, the choice would be a guess.
    if (query.has(key) && searchParameters.has(key))
      throw refuse(key === 'filter' ? 'filter_repeated' : 'query_malformed')
    query.set(key, value)
  }
  return query
}

const searchParameters: ReadonlySet<string> = new Set(
  ['filter', 'startIndex', 'count', 'cursor', 'sortBy', 'sortOrder', 'attributes', 'excludedAttributes'].map(nameKey),
)

const maximumParameters = 64

/**
 * Reads the projection that a query asks for (RFC 7644 §3.9).
 * @throws ScimError invalidSyntax — reasons `projection_both`, `projection_too_many`.
 */
export const readProjection = (query: Query, resourceType: ResourceType): Projection =>
  parseProjection(namedAttributes(query), resourceType)

/** Reads the attribute names of a query. */
export function namedAttributes(query: Query): RequestedAttributes {
  const listed = (name: string): readonly string[] | undefined => {
    const names = query.get(name)
    return names === undefined ? undefined : splitAttributeNames(names)
  }
  return { attributes: listed('attributes'), excludedAttributes: listed('excludedattributes') }
}

/**
 * Checks If-Match (RFC 7644 §3.14, RFC 9110 §13.1.1) and If-None-Match (§13.1.2) of a write. Our tags are weak and compared
 * weakly.
 * @throws ScimError 412 — reason `version_mismatch`.
 */
export function checkPreconditions(request: ServerRequest, version: string): void {
  const expected = request.headers.get('if-match')
  // RFC 9110 §13.1.1: none of the tags matches.
  if (expected !== undefined && compareEntityTags(expected, version) !== 'match') throw refuse('version_mismatch')
  const excluded = request.headers.get('if-none-match')
  // RFC 9110 §13.1.2: one of the tags matches; `*` matches any existing resource. A malformed list may match.
  if (excluded !== undefined && compareEntityTags(excluded, version) !== 'no_match') throw refuse('version_mismatch')
}

/** Returns whether a request depends on the version of its resource. */
export const hasPreconditions = ({ headers }: Pick<ServerRequest, 'headers'>): boolean =>
  headers.has('if-match') || headers.has('if-none-match')

/** Returns whether If-None-Match lists this version, so that a GET responds with 304 (RFC 9110 §13.1.2). */
export function isNotModified(request: ServerRequest, version: string): boolean {
  const tags = request.headers.get('if-none-match')
  return tags !== undefined && compareEntityTags(tags, version) === 'match'
}

/** Creates a SCIM response (RFC 7644 §3.1, §3.8). It is not cached, because it contains personal data. */
export const scimResponse = (status: number, body: object, headers?: readonly Header[]): ServerResponse =>
  textResponse(status, JSON.stringify(body), headers)

/** The media type of SCIM (RFC 7644 §3.8). */
export const scimContent: Header = ['Content-Type', 'application/scim+json']

/** Creates a SCIM response from a body that is already JSON. */
export const textResponse = (
  status: number,
  body: string | Uint8Array,
  headers: readonly Header[] = [],
): ServerResponse => ({
  status,
  headers: [scimContent, ['X-Content-Type-Options', 'nosniff'], ...noStore, ...headers],
  body,
})

/** Creates a response without content. */
export const emptyResponse = (headers: readonly Header[] = []): ServerResponse => withoutContent(204, headers)

const withoutContent = (status: 204 | 304, headers: readonly Header[]): ServerResponse => ({
  status,
  headers: [...noStore, ...headers],
  body: undefined,
})

/** Creates a response with one resource, whose version and location are in headers (RFC 7644 §3.14). */
export function resourceResponse(
  status: 200 | 201,
  shown: RenderedResource,
  { location, version }: ResourceHeaders,
): ServerResponse {
  const address: Header = [status === 201 ? 'Location' : 'Content-Location', location]
  return textResponse(status, shown, version === undefined ? [address] : [['ETag', version], address])
}

/** Creates a 304 response, with the headers of the full response (RFC 9110 §15.4.5). */
export const notModifiedResponse = ({
  location,
  version,
}: ResourceHeaders & { readonly version: string }): ServerResponse =>
  withoutContent(304, [
    ['ETag', version],
    ['Content-Location', location],
  ])

interface ResourceHeaders {
  readonly location: string
  /** A weak entity tag, if it is known. */
  readonly version: string | undefined
}

/**
 * Renders a refusal as a response (RFC 7644 §3.12): a SCIM error body, and the headers that HTTP requires in addition.
 */
export const renderRefusal = (error: ScimError): ServerResponse =>
  scimResponse(error.status, renderScimError(error), headersOf(error))

function headersOf({ status, reason, retryAfter }: ScimError): readonly Header[] {
  if (retryAfter !== undefined) return [['Retry-After', String(retryAfter)]]
  // RFC 6750 §3: the scheme, and an error only when a token was presented.
  if (reason === 'credentials_missing') return [['WWW-Authenticate', 'Bearer realm="scim"']]
  if (status === 401) return [['WWW-Authenticate', 'Bearer realm="scim", error="invalid_token"']]
  if (reason === 'scope_missing')
    return [['WWW-Authenticate', 'Bearer realm="scim", error="insufficient_scope", scope="scim"']]
  return status === 503 ? [['Retry-After', '5']] : []
}

/**
 * Returns the headers about a request limit (RFC 6585 §4): `Retry-After`, and the headers by which SailPoint slows down
 * (seen 2026). `Reset` and `Retry-After` are in seconds from now.
 */
export function rateLimitHeaders(decision: RateDecision): readonly Header[] {
  const { quota } = decision
  const headers: readonly Header[] =
    quota === undefined
      ? []
      : [
          ['X-Rate-Limit-Limit', String(quota.limit)],
          ['X-Rate-Limit-Remaining', String(quota.remaining)],
          ['X-Rate-Limit-Reset', String(quota.resetAfter)],
        ]
  if (decision.allowed) return headers
  const retryAfter = String(decision.retryAfter)
  return [...headers, ['Retry-After', retryAfter], ['X-Rate-Limit-Retry-After-Seconds', retryAfter]]
}
