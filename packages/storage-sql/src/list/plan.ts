import type { SortKey } from '@mintmark/storage-interface/stores'
import type { SqlEngine } from '../dialect.ts'
import { type CandidateQuery, candidatesOf, matchesInIndexes } from './candidates.ts'
import type { FilterTemplate } from './filter.ts'
import type { ListedKind } from './listed-kind.ts'
import { coveringIndex, type NarrowIndex, type NarrowMatch, severalMatch } from './narrow-index.ts'

/** How the page of a list with a filter or an order is read. */
export type Plan = OrderedPlan | CoveredPlan | IntersectedPlan | CandidatesPlan | EverythingPlan

/** Reads an index in its order, up to the end of the page. */
export interface OrderedPlan {
  readonly kind: 'ordered'
  readonly index: NarrowIndex
  readonly sort: SortKey
}

/** Evaluates the whole filter in one index. */
export interface CoveredPlan {
  readonly kind: 'covered'
  readonly match: NarrowMatch
  /** The filter for rows without the complete value. */
  readonly filter: FilterTemplate
  readonly sort: SortKey | undefined
  /** Whether the index may have several entries for a row. */
  readonly entries: 'single' | 'several'
}

/** Evaluates each part of the filter in one index, without the rows, and reads the page in the order of an index. */
export interface IntersectedPlan {
  readonly kind: 'intersected'
  readonly matches: readonly NarrowMatch[]
  readonly order: NarrowIndex
  readonly sort: SortKey | undefined
}

/** Evaluates the filter on the rows that indexes find. */
export interface CandidatesPlan {
  readonly kind: 'candidates'
  readonly filter: FilterTemplate
  readonly sort: SortKey | undefined
  readonly query: CandidateQuery
  /** The matches in narrow indexes that the query reads; empty if it looks up strings that few rows have instead. */
  readonly matches: readonly NarrowMatch[]
}

/** Evaluates the filter on every row. */
export interface EverythingPlan {
  readonly kind: 'everything'
  readonly filter: FilterTemplate | undefined
  readonly sort: SortKey | undefined
}

/** The plans of a list. */
export interface ListPlans {
  readonly first: Plan
  /** Replaces the first plan if an index does not have the complete value of every row. */
  readonly ifInexact: Plan | undefined
  /** Is tried if the first plan would read too much. */
  readonly ifTooMany: Plan | undefined
}

/** What a list selects, and its order. */
interface Selection {
  readonly filter: FilterTemplate | undefined
  readonly sort: SortKey | undefined
}

/** Chooses how to read a list. */
export function planList(kind: ListedKind, { filter, sort }: Selection, engine: SqlEngine): ListPlans {
  const ordering = sort && kind.narrow?.byOrder(sort)
  const candidates = filter && candidatesOf(filter, kind, engine)
  const rowsPlan = (found: typeof candidates): Plan =>
    filter === undefined || found === undefined
      ? { kind: 'everything', filter, sort }
      : { kind: 'candidates', filter, sort, ...found }
  // The index may contain shortened values. Then only the rows give the right order.
  const unlessInexact = (first: Plan): ListPlans => ({
    first,
    ifInexact:
      incompleteIndexes(first).length === 0
        ? undefined
        : rowsPlan(filter && candidatesOf(filter, { ...kind, narrow: undefined }, engine)),
    ifTooMany: undefined,
  })

  if (filter === undefined && sort !== undefined && ordering !== undefined)
    return unlessInexact({ kind: 'ordered', index: ordering, sort })
  const isLookup = candidates?.matches.length === 0
  const index = filter && !isLookup ? kind.narrow && coveringIndex(filter, kind.narrow) : undefined
  if (filter !== undefined && index !== undefined && (sort === undefined || ordering === index))
    return unlessInexact({ kind: 'covered', match: { index, filter }, filter, sort, entries: 'single' })
  return {
    first: rowsPlan(candidates),
    ifInexact: undefined,
    ifTooMany: filter && (planIntersection(kind, filter, sort) ?? planSeveral(kind, filter, sort)),
  }
}

/** The indexes of a plan that may have rows without the complete value. The plan is right only if there are none. */
export function incompleteIndexes(plan: Plan): readonly NarrowIndex[] {
  switch (plan.kind) {
    case 'ordered':
      return withInexactRows(plan.index)
    case 'covered':
      return plan.sort === undefined ? [] : withInexactRows(plan.match.index)
    case 'intersected':
      return withInexactRows(plan.order, ...plan.matches.map(({ index }) => index))
    case 'candidates':
    case 'everything':
      return []
    default:
      return plan satisfies never
  }
}

const withInexactRows = (...indexes: readonly NarrowIndex[]): readonly NarrowIndex[] =>
  indexes.filter(({ exact }) => exact !== 'all')

/** Returns `undefined` if the indexes do not cover the whole filter. */
function planIntersection(
  { narrow }: ListedKind,
  filter: FilterTemplate,
  sort: SortKey | undefined,
): IntersectedPlan | undefined {
  const found = narrow && matchesInIndexes(filter, narrow)
  if (narrow === undefined || found === undefined) return undefined
  const matches = [...found.covered, ...found.memberships]
  const byAge = found.covered[0]?.index ?? narrow.byAge
  const order = sort === undefined ? byAge : narrow.byOrder(sort)
  if (order === undefined || matches.length === 0) return undefined
  const isByAge = sort === undefined || order.order.values.length === 0
  return { kind: 'intersected', matches, order: isByAge ? { ...byAge, order: narrow.byAge.order } : order, sort }
}

/** A filter on the values of a list. Returns `undefined` if the index does not have all of the values. */
function planSeveral(
  { narrow }: ListedKind,
  filter: FilterTemplate,
  sort: SortKey | undefined,
): CoveredPlan | undefined {
  const match = sort === undefined ? narrow && severalMatch(filter, narrow) : undefined
  return match && { kind: 'covered', match, filter, sort, entries: 'several' }
}
