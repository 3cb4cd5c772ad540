import type { Query } from '../message/read-query.ts'
import { namedAttributes } from '../message/requested-attributes.ts'
import type { RequestedAttributes } from '../resource/parse-projection.ts'

/** What is searched for, whether it came in a query or in a message (RFC 7644 §3.4.2, §3.4.3). */
export interface SearchRequest extends RequestedAttributes {
  readonly filter: string | undefined
  readonly sortBy: string | undefined
  readonly sortOrder: string | undefined
  /** NaN when it is not an integer; possibly infinite. */
  readonly startIndex: number | undefined
  readonly count: number | undefined
  /** Empty for the first page; undefined when pages are told by index. */
  readonly cursor: string | undefined
}

/** The search that a query asks for. */
export const searchOfQuery = (query: Query): SearchRequest => ({
  ...namedAttributes(query),
  filter: query.get('filter'),
  sortBy: query.get('sortby'),
  sortOrder: query.get('sortorder'),
  startIndex: integerOf(query.get('startindex')),
  count: integerOf(query.get('count')),
  cursor: query.get('cursor'),
})

/** `100` and `1e9`, however large. */
function integerOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^-?[0-9]+(?:e[0-9]+)?$/i.test(text) ? Number(text) : Number.NaN
}
