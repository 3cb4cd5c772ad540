import { parseParameters } from '@mintmark/core/http'
import { decodeBody, hasMediaType, type ServerRequest } from '@mintmark/internal'

import { refusal } from '../error/scim-error.ts'
import { parseProjection, type RequestedAttributes, splitAttributeNames } from '../resource/project-resource.ts'
import type { Projection } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { nameKey } from '../schema/schema.ts'
import { parseJson } from '../values/json-body.ts'

/**
 * The JSON of a request's body (RFC 7644 §3.8).
 * @throws ScimError 415 — reason `media_type`; the reasons of `parseJson`.
 */
export function readMessage(request: ServerRequest): unknown {
  // RFC 7644 §3.8: application/scim+json, and application/json.
  if (!hasMediaType(request, ['application/scim+json', 'application/json'])) throw refusal('media_type')
  const text = decodeBody(request.body)
  // RFC 8259 §8.1: JSON is UTF-8.
  if (text === undefined) throw refusal('body_malformed')
  return parseJson(text)
}

/** The parameters of a query, by lower-case name. */
export type Query = ReadonlyMap<string, string>

/**
 * Parses the query of a request (RFC 7644 §3.4.2). Unknown parameters are ignored, even when repeated.
 * @throws ScimError invalidSyntax — reason `query_malformed`; invalidFilter — reason `filter_repeated`.
 */
export function readQuery(request: ServerRequest): Query {
  const list = parseParameters(request.url.search.slice(1), maximumParameters)
  // RFC 7644 §3.12 invalidSyntax.
  if ('malformed' in list) throw refusal('query_malformed')
  const query = new Map<string, string>()
  for (const [name, value] of list) {
    const key = nameKey(name)
    // RFC 7644 §3.4.2: each parameter once. With two filters, the choice would be a guess.
    if (query.has(key) && known.has(key)) throw refusal(key === 'filter' ? 'filter_repeated' : 'query_malformed')
    query.set(key, value)
  }
  return query
}

const known: ReadonlySet<string> = new Set(
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
  const tags = request.headers.get('if-match')
  // RFC 9110 §13.1.1: none of the tags matches.
  if (tags !== undefined && !listsTag(tags, version)) throw refusal('version_mismatch')
  // RFC 9110 §13.1.2: one of the tags matches; `*` matches any existing resource.
  if (isNotModified(request, version)) throw refusal('version_mismatch')
}

/** Whether If-None-Match lists this version, so that a GET responds with 304 (RFC 9110 §13.1.2). */
export function isNotModified(request: ServerRequest, version: string): boolean {
  const tags = request.headers.get('if-none-match')
  return tags !== undefined && listsTag(tags, version)
}

const listsTag = (tags: string, version: string): boolean =>
  tags.split(',').some((tag) => tag.trim() === '*' || opaque(tag.trim()) === opaque(version))

/** RFC 9110 §8.8.3.2: weak comparison ignores the W/ prefix. */
const opaque = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)
