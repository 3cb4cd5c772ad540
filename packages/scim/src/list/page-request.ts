import { refusal } from '../error/refusal.ts'
import { listLimits } from './list-limits.ts'
import type { SearchRequest } from './search-request.ts'

/** Which page is asked for: by index (RFC 7644 §3.4.2.4), which is the default, or by cursor (RFC 9865 §2). */
export type PageRequest =
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
 * Reads which page is asked for. By index, what is out of range is brought into it; by cursor it is refused, as the pages of
 * one walk are all of one size.
 * @throws ScimError invalidValue — reason `page_malformed`; invalidCount — reason `count_out_of_range`.
 */
export function pageRequest({ startIndex = 1, count = listLimits.defaultCount, cursor }: SearchRequest): PageRequest {
  if (cursor !== undefined) {
    // RFC 9865 §2.1 invalidCount.
    if (!(count >= 0 && count <= listLimits.maxCount)) throw refusal('count_out_of_range')
    return { kind: 'cursor', cursor, count }
  }
  // RFC 7644 §3.4.2.4: integers.
  if (Number.isNaN(startIndex) || Number.isNaN(count)) throw refusal('page_malformed')
  return {
    kind: 'index',
    startIndex: within(startIndex, 1, largestIndex),
    count: within(count, 0, listLimits.maxCount),
  }
}

const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

/** More than any provider has; every store can count so far. */
const largestIndex = 2_147_483_647
