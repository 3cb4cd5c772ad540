import { chunksOf } from '@mintmark/internal'
import { type Candidates, findCandidates } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { Parameter } from '../database.ts'
import type { SqlEngine } from '../dialect.ts'
import type { Sql } from '../json-search.ts'
import { anyOf, mergeEqualities, type FilterTemplate } from './filter.ts'
import type { IndexLookup, ListedKind } from './listed-kind.ts'
import {
  conjuncts,
  coveringIndex,
  inexactRows,
  isBounded,
  isComparison,
  isCoveredBy,
  narrowCondition,
  type NarrowIndex,
  type NarrowIndexes,
  type NarrowMatch,
} from './narrow-index.ts'

/** A query for the identifiers of all rows that a filter can match. */
export type CandidateQuery = (p: Parameter<string>) => Sql

/** How to find all rows that a filter can match. */
interface CandidateRows {
  readonly query: CandidateQuery
  /** The matches in narrow indexes that the query reads; empty if it looks up strings that few rows have instead. */
  readonly matches: readonly NarrowMatch[]
}

/**
 * If an index covers a value that the filter requires, returns a query for the rows that have it. The filter must still be
 * evaluated on these rows. Returns `undefined` when every row has to be read.
 */
export function candidatesOf(
  filter: FilterTemplate,
  { lookups, narrow }: Pick<ListedKind, 'lookups' | 'narrow'>,
  engine: SqlEngine,
): CandidateRows | undefined {
  const required = findCandidates(filter, lookups)
  if (required !== undefined) return { query: lookupQuery(required), matches: [] }
  const found = narrow && narrowCandidates(filter, narrow)
  const matches = found && mergeByIndex(found)
  return matches && { query: narrowIndexQuery(matches, engine), matches }
}

/** Returns matches that together find every row that a filter can match; `undefined` if every row has to be read. */
function narrowCandidates(filter: FilterTemplate, indexes: NarrowIndexes): readonly NarrowMatch[] | undefined {
  switch (filter.kind) {
    case 'text':
    case 'number':
      return singleMatch([filter], indexes)
    case 'element':
      return listMatches(filter.attribute, filter.where, indexes)
    case 'and': {
      const parts = conjuncts(filter)
      const covering = parts.map((part) => coveringIndex(part, indexes))
      // Each index tests all parts that it covers.
      const inIndexes = [...new Set(covering)].map(
        (index) =>
          index &&
          singleMatch(
            parts.filter((part) => isCoveredBy(part, index)),
            indexes,
          ),
      )
      const others = parts.filter((_, place) => covering[place] === undefined)
      return mostSelective([...inIndexes, ...others.map((part) => narrowCandidates(part, indexes))])
    }
    case 'or':
      return matchesOfAll(filter.operands.map((operand) => narrowCandidates(operand, indexes)))
    case 'not':
    case 'present':
    case 'boolean':
      return undefined
    default:
      return filter satisfies never
  }
}

/** The parts of a filter, each with the index that evaluates it. */
interface MatchesInIndexes {
  /** Parts that indexes with the age of each row evaluate. */
  readonly covered: readonly NarrowMatch[]
  /** Parts that the index of memberships evaluates. */
  readonly memberships: readonly NarrowMatch[]
}

/** Returns the parts of a filter that must all match, each with an index that covers it; `undefined` if a part has none. */
export function matchesInIndexes(filter: FilterTemplate, indexes: NarrowIndexes): MatchesInIndexes | undefined {
  const parts = new Map<NarrowIndex, FilterTemplate[]>()
  const memberships: NarrowMatch[] = []
  for (const part of conjuncts(filter)) {
    const membership = membershipMatch(part, indexes)
    const index = membership === undefined ? coveringIndex(part, indexes) : undefined
    // Each membership is a row of its own, so one row cannot meet the conditions of two parts.
    if (membership !== undefined) memberships.push(membership)
    else if (index === undefined) return undefined
    else parts.set(index, [...(parts.get(index) ?? []), part])
  }
  const covered = [...parts].map(([index, operands]): NarrowMatch => ({ index, filter: { kind: 'and', operands } }))
  return { covered, memberships }
}

function membershipMatch(part: FilterTemplate, { byMembership }: NarrowIndexes): NarrowMatch | undefined {
  if (part.kind !== 'element' || part.where.kind !== 'text' || part.where.operator !== 'eq') return undefined
  const index = byMembership(part.attribute, part.where.attribute)
  return index && { index, filter: part.where }
}

/** Returns a match of all parts in one index, if the parts select few of its rows. */
function singleMatch(parts: readonly FilterTemplate[], indexes: NarrowIndexes): readonly NarrowMatch[] | undefined {
  const filter: FilterTemplate =
    parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'and', operands: parts }
  const index = parts.length === 0 ? undefined : coveringIndex(filter, indexes)
  if (index === undefined || !parts.some(isSelective)) return undefined
  return [{ index, filter }]
}

/** Returns matches in the index of a multi-valued attribute that together find every row with a matching value. */
function listMatches(
  list: FilterTemplateElement['attribute'],
  where: FilterTemplate,
  indexes: NarrowIndexes,
): readonly NarrowMatch[] | undefined {
  if (where.kind === 'or') return matchesOfAll(where.operands.map((operand) => listMatches(list, operand, indexes)))
  if (where.kind === 'and') return mostSelective(conjuncts(where).map((part) => listMatches(list, part, indexes)))
  if (where.kind !== 'text' || !isSelective(where)) return undefined
  const index = indexes.bySeveral(list, where.attribute)
  return index && [{ index, filter: where }]
}

type FilterTemplateElement = Extract<FilterTemplate, { readonly kind: 'element' }>

/** Whether a filter is a comparison that can exclude most rows. A comparison with `ne` matches almost all rows. */
const isSelective = (filter: FilterTemplate): boolean =>
  (filter.kind === 'text' || filter.kind === 'number') && filter.operator !== 'ne'

type Matches = readonly NarrowMatch[] | undefined

/** Returns the matches of all operands; `undefined` if one operand has none. */
const matchesOfAll = (operands: readonly Matches[]): Matches =>
  operands.length === 0 || operands.includes(undefined) ? undefined : operands.flatMap((found) => found ?? [])

/** Returns the first operand whose matches each read only a range of an index; if there is none, the first with matches. */
function mostSelective(operands: readonly Matches[]): Matches {
  const found = operands.filter((matches) => matches !== undefined)
  return found.find((matches) => matches.every(isBounded)) ?? found[0]
}

/**
 * Merges matches in the same index: equalities are looked up together, and an index that must be read as a whole is read
 * only once.
 */
function mergeByIndex(matches: readonly NarrowMatch[]): readonly NarrowMatch[] {
  const filters = new Map<NarrowIndex, FilterTemplate[]>()
  for (const { index, filter } of matches) filters.set(index, [...(filters.get(index) ?? []), filter])
  return [...filters].flatMap(([index, found]) => {
    const comparisons = found.filter(isComparison)
    const others = found.filter((filter) => !isComparison(filter))
    const ranges = [...others, ...mergeEqualities(comparisons)].map((filter) => ({ index, filter }))
    return ranges.every(isBounded) ? ranges : [{ index, filter: anyOf(found) }]
  })
}

const lookupQuery =
  (candidates: Candidates<IndexLookup>): CandidateQuery =>
  (p) =>
    unionOf([...candidates].map(([{ find }, values]) => find(values, p)))

const narrowIndexQuery =
  (matches: readonly NarrowMatch[], engine: SqlEngine): CandidateQuery =>
  (p) =>
    unionOf([
      ...matches.map(
        (match) =>
          sql`select ${sql.ref(match.index.id)} as id from ${sql.table(match.index.table)} where ${narrowCondition(match, { engine, parameter: p })}`,
      ),
      ...[...new Set(matches.map(({ index }) => index))].flatMap((index) =>
        index.inexact === undefined ? [] : [inexactRows(index, p)],
      ),
    ])

/** Returns the union of queries with the column `id`, nested because SQLite allows 500 queries in one union. */
export function unionOf(queries: readonly Sql[]): Sql {
  if (queries.length <= unionLimit) return sql.join(queries, sql` union all `)
  const groups = chunksOf(queries, unionLimit)
  return unionOf(groups.map((group, place) => sql`select id from (${unionOf(group)}) as ${sql.ref(`part_${place}`)}`))
}

const unionLimit = 100
