import { findCandidates, type TextLookup } from '../filter/find-candidates.ts'
import type { ResolvedFilter } from '../filter/resolved-filter.ts'

/** Finds rows by a text; also some that are not listed. */
interface RowLookup<Id extends string> extends TextLookup {
  readonly find: (text: string) => Iterable<Id>
}

/** Look-ups by the attribute whose texts they find, such as `userName` and `emails.value`. */
export type RowLookups<Id extends string> = ReadonlyMap<string, RowLookup<Id>>

/** Who has the texts that a filter demands, each once; `undefined` when every row has to be looked at. */
export function candidates<Id extends string>(
  filter: ResolvedFilter,
  lookups: RowLookups<Id>,
): ReadonlySet<Id> | undefined {
  const found = findCandidates(filter, lookups)
  if (found === undefined) return undefined

  const ids = new Set<Id>()
  for (const [{ find }, texts] of found) {
    for (const text of texts) for (const id of find(text)) ids.add(id)
  }
  return ids
}
