import type { Pieces } from '@mintmark/internal'
import type { JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import { namedAttributes, type Query } from '../call/scim-message.ts'
import { type RequestedAttributes, splitAttributeNames } from '../resource/resource.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import { isArray, type Member, membersByName, parseJsonObjectInPieces, requireMessageSchema } from '../values/json.ts'
import { nameKey } from '../values/text.ts'

/** A search, from a query or from a message (RFC 7644 §3.4.2, §3.4.3). */
export interface SearchRequest extends RequestedAttributes {
  readonly filter: string | undefined
  readonly sortBy: string | undefined
  readonly sortOrder: string | undefined
  /** NaN when the parameter is not an integer. May be infinite. */
  readonly startIndex: number | undefined
  readonly count: number | undefined
  /** Empty for the first page; undefined for pages by index. */
  readonly cursor: string | undefined
}

/** Reads a search from a query. */
export const searchOfQuery = (query: Query): SearchRequest => ({
  ...namedAttributes(query),
  filter: query.get('filter'),
  // An empty parameter means the same as none, as for `attributes`.
  sortBy: query.get('sortby') || undefined,
  sortOrder: query.get('sortorder') || undefined,
  startIndex: integerOf(query.get('startindex') || undefined),
  count: integerOf(query.get('count') || undefined),
  cursor: query.get('cursor'),
})

/** Parses integers such as `100`, of any size. NaN for anything else (RFC 7644 §3.4.2.4). */
function integerOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^-?[0-9]+$/.test(text) ? Number(text) : Number.NaN
}

/**
 * Parses the body of a POST to `/.search` (RFC 7644 §3.4.3). Unknown members are ignored.
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`, `schemas_missing`,
 * `search_malformed`.
 */
export function* parseSearch(body: unknown, tolerances: ToleranceCounter): Pieces<SearchRequest> {
  const members = membersByName(yield* parseJsonObjectInPieces(body))
  requireMessageSchema(members, 'urn:ietf:params:scim:api:messages:2.0:SearchRequest', tolerances)
  return {
    attributes: namesIn(members, 'attributes', tolerances),
    excludedAttributes: namesIn(members, 'excludedAttributes', tolerances),
    filter: textIn(members, 'filter'),
    sortBy: textIn(members, 'sortBy'),
    sortOrder: textIn(members, 'sortOrder'),
    startIndex: integerIn(members, 'startIndex', tolerances),
    count: integerIn(members, 'count', tolerances),
    cursor: textIn(members, 'cursor'),
  }
}

type Members = ReadonlyMap<string, Member>

/** Returns the value of a member. Null means absent (RFC 7643 §2.5). */
const valueIn = (members: Members, name: string): JsonValue | undefined =>
  members.get(nameKey(name))?.value ?? undefined

function textIn(members: Members, name: string): string | undefined {
  const value = valueIn(members, name)
  // RFC 7644 §3.12 invalidSyntax: a member has the wrong type.
  if (value !== undefined && typeof value !== 'string') throw refuse('search_malformed')
  return value
}

function integerIn(members: Members, name: string, tolerances: ToleranceCounter): number | undefined {
  const value = valueIn(members, name)
  if (value === undefined) return undefined
  // RFC 7644 §3.4.3: a JSON number.
  if (typeof value === 'string' && tolerances.admits('search-member-as-text')) return integerOf(value)
  return typeof value === 'number' && Number.isInteger(value) ? value : Number.NaN
}

function namesIn(members: Members, name: string, tolerances: ToleranceCounter): readonly string[] | undefined {
  const value = valueIn(members, name)
  if (value === undefined) return undefined
  if (typeof value === 'string' && tolerances.admits('search-member-as-text')) return splitAttributeNames(value)
  // RFC 7644 §3.4.3: a list of strings.
  if (!isArray(value)) throw refuse('search_malformed')
  return value.map((item) => {
    // RFC 7644 §3.12 invalidSyntax.
    if (typeof item !== 'string') throw refuse('search_malformed')
    return item
  })
}

/** The requested page: by index (RFC 7644 §3.4.2.4), which is the default, or by cursor (RFC 9865 §2). */
type PageRequest =
  | {
      readonly kind: 'index'
      /** From 1. */
      readonly startIndex: number
      readonly count: number
    }
  | {
      readonly kind: 'cursor'
      /** Empty for the first page. */
      readonly cursor: string
      readonly count: number
    }

/**
 * Determines the requested page. By index, values out of range are clamped; by cursor they are refused, because all
 * pages must have the same size.
 * @throws ScimError invalidValue — reason `page_malformed`; invalidCount — reason `count_out_of_range`.
 */
export function pageRequest(
  { startIndex = 1, count: requested, cursor }: SearchRequest,
  { defaultCount, maxCount }: PageLimits,
): PageRequest {
  const count = requested ?? Math.min(defaultCount, maxCount)
  if (cursor !== undefined) {
    if (!(count >= 0 && count <= maxCount)) throw refuse('count_out_of_range')
    return { kind: 'cursor', cursor, count }
  }
  // RFC 7644 §3.4.2.4: integers.
  if (Number.isNaN(startIndex) || Number.isNaN(count)) throw refuse('page_malformed')
  return {
    kind: 'index',
    startIndex: clamp(startIndex, 1, largestIndex),
    count: clamp(count, 0, maxCount),
  }
}

const clamp = (value: number, minimum: number, maximum: number): number => Math.min(Math.max(value, minimum), maximum)

/** More resources than any provider has, and a number that every store accepts. */
const largestIndex = 2_147_483_647

/** The limits of a page, published at `/ServiceProviderConfig` (RFC 7644 §3.4.2.4, RFC 9865 §4). */
export interface PageLimits {
  /**
   * The number of resources on a page when the request has no `count`.
   * @defaultValue 100. Okta and Entra expect at least 100.
   */
  readonly defaultCount: number
  /**
   * The maximum number of resources on a page.
   * @defaultValue 200. The whole page is in memory at once.
   */
  readonly maxCount: number
  /**
   * The approximate maximum size of a page, in bytes. A page by index that is larger is rejected as `tooMany`, because
   * clients that count by index would miss resources. A page by cursor ends earlier, after at most 2 MiB. A page of one
   * resource is never rejected.
   * @defaultValue 8388608 (8 MiB). A hundred groups of 250 members, as Okta imports them, have 5 MB.
   */
  readonly bytes: number
  /**
   * The number of seconds within which the next page of a cursor must be requested.
   * @defaultValue 3600. An import may process a page for minutes.
   */
  readonly cursorLifetime: number
}

export const defaultPageLimits: PageLimits = {
  defaultCount: 100,
  maxCount: 200,
  bytes: 8 * 1024 * 1024,
  cursorLifetime: 3600,
}
