import { inOnePiece, type Pieces, runInTurns, type Turns } from '@mintmark/internal'
import { type JsonObject, matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import {
  comparisonsOf,
  type JsonText,
  type ListOutcome,
  type ListQuery,
  listRows,
} from '@mintmark/storage-interface/stores'

import type { RenderedResource } from '../schema/projection.ts'

/** A resource that is in memory. */
interface ComparableRow {
  readonly id: string
  /** Returns the comparable form, for filters and sorting. */
  readonly comparable: () => JsonObject
  /** Renders the resource. */
  readonly record: () => JsonText
}

/** Filters, sorts and pages resources that are in memory, in the order of their ids, so that pages stay consistent. */
export async function listInMemory(
  rows: readonly ComparableRow[],
  { filter, ...query }: Omit<ListQuery, 'providerId'>,
  turns: Turns,
): Promise<ListOutcome<Pieces<RenderedResource>>> {
  if (filter !== undefined && comparisonsOf(filter, comparisonCosts) * rows.length > maximumComparisons)
    return { outcome: 'tooMany' }
  const found = await runInTurns(selectMatching(rows, filter), turns)
  const outcome = listRows(found, { ...query, filter: undefined })
  if (outcome.outcome === 'tooMany') return outcome
  return { ...outcome, records: outcome.records.map((rendered) => inOnePiece(() => rendered)) }
}

function* selectMatching(
  all: readonly ComparableRow[],
  filter: ResolvedFilter | undefined,
): Pieces<readonly ComparableRow[]> {
  if (filter === undefined) return all
  const matches = matchesFilter(filter)
  const found: ComparableRow[] = []
  for (const row of all) {
    if (matches(row.comparable())) found.push(row)
    yield
  }
  return found
}

const comparisonCosts = { list: 4, equalities: 'together' } as const

/** The maximum number of comparisons of one filter with all resources. */
const maximumComparisons = 200_000
