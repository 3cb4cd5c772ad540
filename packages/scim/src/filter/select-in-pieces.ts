import type { Pieces } from '@mintmark/internal'
import { type JsonObject, matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import { comparisonsOf } from '@mintmark/storage-interface/stores'

/**
 * Returns the items that a filter selects. Each piece ends after 2,000 comparisons, because a PATCH may compare each of
 * few values with hundreds of thousands of others.
 * @param toComparable returns the object that the filter tests; undefined for an item that no filter selects.
 */
export function* selectInPieces<Item>(
  items: readonly Item[],
  filter: ResolvedFilter,
  toComparable: (item: Item) => JsonObject | undefined,
): Pieces<ReadonlySet<Item>> {
  const parts: { readonly matches: (item: JsonObject) => boolean; readonly cost: number }[] = []
  for (const part of yield* splitFilter(filter)) {
    parts.push({ matches: matchesFilter(part), cost: comparisons(part) })
    yield
  }
  const selected = new Set<Item>()
  let comparisonsDone = 0
  for (const item of items) {
    const comparable = toComparable(item)
    for (const { matches, cost } of comparable === undefined ? [] : parts) {
      comparisonsDone += cost + 1
      if (comparisonsDone >= comparisonsInPiece) {
        comparisonsDone = 0
        yield
      }
      if (comparable === undefined || !matches(comparable)) continue
      selected.add(item)
      break
    }
  }
  return selected
}

/**
 * Splits a filter into alternatives with few comparisons each. Equalities stay together, because they are one look-up.
 */
function* splitFilter(filter: ResolvedFilter): Pieces<readonly ResolvedFilter[]> {
  if (filter.kind !== 'or') return [filter]
  const equalities = filter.operands.filter(isEquality)
  const parts: { operands: ResolvedFilter[]; cost: number }[] = [{ operands: equalities, cost: comparisonsInPiece }]
  for (const operand of filter.operands) {
    if (isEquality(operand)) continue
    const last = parts.at(-1)
    const cost = comparisons(operand)
    if (last !== undefined && last.cost + cost <= comparisonsInPiece) {
      last.operands.push(operand)
      last.cost += cost
    } else {
      parts.push({ operands: [operand], cost })
      yield
    }
  }
  return parts.filter(({ operands }) => operands.length > 0).map(({ operands }) => ({ kind: 'or', operands }))
}

const isEquality = (filter: ResolvedFilter): boolean => filter.kind === 'text' && filter.operator === 'eq'

const comparisons = (filter: ResolvedFilter): number => comparisonsOf(filter, { list: 0, equalities: 'together' })

const comparisonsInPiece = 2000
