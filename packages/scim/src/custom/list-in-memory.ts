import { type Pieces, runInTurns, type Turns } from '@mintmark/internal'
import { type JsonObject, matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import { comparisonsOf, type ListOutcome, type ListQuery, listRows } from '@mintmark/storage-interface/stores'

/** A resource that is in memory. */
interface ComparableRow<Text extends string> {
  readonly id: string
  /** The comparable form, for filters and sorting. */
  readonly comparable: JsonObject
  /** Renders the resource. */
  readonly record: () => Text
}

/** Filters, sorts and pages resources that are in memory, in the order of their ids, so that pages stay consistent. */
export async function listInMemory<Text extends string>(
  rows: readonly ComparableRow<Text>[],
  { filter, ...query }: Omit<ListQuery, 'providerId'>,
  turns: Turns,
): Promise<ListOutcome<Text>> {
  if (filter !== undefined && comparisonsOf(filter, comparisonCosts) * rows.length > maximumComparisons)
    return { outcome: 'tooMany' }
  const found = await runInTurns(selectMatching(rows, filter), turns)
  return listRows(
    found.map(({ id, record, comparable }) => ({ id, record, comparable: () => comparable })),
    { ...query, filter: undefined },
  )
}

function* selectMatching<Row extends { readonly comparable: JsonObject }>(
  all: readonly Row[],
  filter: ResolvedFilter | undefined,
): Pieces<readonly Row[]> {
  if (filter === undefined) return all
  const matches = matchesFilter(filter)
  const found: Row[] = []
  for (const row of all) {
    if (matches(row.comparable)) found.push(row)
    yield
  }
  return found
}

const comparisonCosts = { list: 4, equalities: 'together' } as const

/** The maximum number of comparisons of one filter with all resources. */
const maximumComparisons = 200_000
