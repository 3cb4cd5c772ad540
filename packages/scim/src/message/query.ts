import { parseParameters, type ServerRequest } from '@mintmark/core/http'

import { refusal } from '../error/refusal.ts'
import { parseProjection, type RequestedAttributes, splitAttributeNames } from '../resource/project-resource.ts'
import type { Projection } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { nameKey } from '../schema/schema.ts'

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
