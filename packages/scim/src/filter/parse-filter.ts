import { createToleranceCounter, type ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { readEnd, readFilter, startOf } from './filter-grammar.ts'
import type { FilterNode } from './filter-node.ts'
import { openCursor } from './filter-tokens.ts'

/**
 * Reads a filter (RFC 7644 §3.4.2.2). Linear in its length; bounded by `filterLimits`.
 * @param tally the tolerances of the connection; without it the grammar is that of the RFC.
 * @throws ScimError invalidFilter — reasons `filter_empty`, `filter_too_long`, `filter_too_deep`, `filter_too_large`,
 * `filter_syntax`, `filter_value_malformed`, `filter_value_too_long`.
 */
export function parseFilter(text: string, tally: ToleranceCounter = createToleranceCounter(new Set())): FilterNode {
  const place = startOf(openCursor(text), tally)
  const filter = readFilter(place)
  readEnd(place)
  return filter
}
