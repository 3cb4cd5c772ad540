import { type Candidates, findCandidates } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import type { Parameter } from '../database.ts'
import type { SqlEngine } from '../dialect.ts'
import type { Sql } from '../json-search.ts'
import type { FilterTemplate } from './filter.ts'
import type { IndexLookup, ListedKind } from './listed-kind.ts'
import {
  conjuncts,
  coveringIndex,
  inexactRows,
  isBounded,
  isCoveredBy,
  narrowCondition,
  type NarrowIndexes,
  type NarrowMatch,
} from './narrow-index.ts'

/** A query for the identifiers of all rows that a filter can match. */
export type CandidateQuery = (p: Parameter<string>) => Sql

/** How to find all rows that a filter can match. */
interface CandidateRows {
  /** `lookup`: by texts that few rows have. */
  readonly kind: 'lookup' | 'narrow'
  readonly query: CandidateQuery
  /** Whether it reads only a range of each index. */
  readonly isBounded: boolean
}

/**
 * Where a filter requires something that is indexed, the rows that have it; the filter must still be evaluated on them.
 * `undefined` when every row has to be read.
 */
export function candidatesOf(
  filter: FilterTemplate,
  { lookups, narrow }: Pick<ListedKind, 'lookups' | 'narrow'>,
  engine: SqlEngine,
): CandidateRows | undefined {
  const demanded = findCandidates(filter, lookups)
  if (demanded !== undefined) return { kind: 'lookup', query: lookedUp(demanded), isBounded: true }
  const matches = narrow && narrowCandidates(filter, narrow)
  return matches && { kind: 'narrow', query: narrowlyFound(matches, engine), isBounded: matches.every(isBounded) }
}

/** Narrow indexes that together find every row that a filter can match; `undefined` if every row has to be read. */
function narrowCandidates(filter: FilterTemplate, indexes: NarrowIndexes): readonly NarrowMatch[] | undefined {
  switch (filter.kind) {
    case 'text':
    case 'number':
      return singleMatch([filter], indexes)
    case 'element': {
      const matches = conjuncts(filter.where).flatMap((part) => severalMatch(filter.attribute, part, indexes) ?? [])
      return fewest(matches.map((match) => [match]))
    }
    case 'and': {
      const parts = conjuncts(filter)
      const found = parts.map((part) => {
        const index = coveringIndex(part, indexes)
        // All parts that the index covers are tested in it.
        return index === undefined
          ? narrowCandidates(part, indexes)
          : singleMatch(
              parts.filter((other) => isCoveredBy(other, index)),
              indexes,
            )
      })
      return fewest(found.filter((matches) => matches !== undefined))
    }
    case 'or': {
      const each = filter.operands.map((operand) => narrowCandidates(operand, indexes))
      return each.length === 0 || each.some((found) => found === undefined)
        ? undefined
        : each.flatMap((found) => found ?? [])
    }
    case 'not':
    case 'present':
    case 'boolean':
      return undefined
    default:
      return filter satisfies never
  }
}

/** The rows of one index that match all parts, if the parts select few of them. */
function singleMatch(parts: readonly FilterTemplate[], indexes: NarrowIndexes): readonly NarrowMatch[] | undefined {
  const filter: FilterTemplate =
    parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'and', operands: parts }
  const index = parts.length === 0 ? undefined : coveringIndex(filter, indexes)
  if (index === undefined || !parts.some(isSelective)) return undefined
  return [{ index, filter }]
}

function severalMatch(
  list: FilterTemplateElement['attribute'],
  part: FilterTemplate,
  indexes: NarrowIndexes,
): NarrowMatch | undefined {
  if (part.kind !== 'text' || !isSelective(part)) return undefined
  const index = indexes.bySeveral(list, part.attribute)
  return index && { index, filter: part }
}

type FilterTemplateElement = Extract<FilterTemplate, { readonly kind: 'element' }>

/** Whether a comparison selects rows by their values: `ne` matches almost all. */
const isSelective = (filter: FilterTemplate): boolean =>
  (filter.kind === 'text' || filter.kind === 'number') && filter.operator !== 'ne'

/** The matches that are bounded by the key of their index, or else the first. */
function fewest(found: readonly (readonly NarrowMatch[])[]): readonly NarrowMatch[] | undefined {
  const [first] = found
  return found.find((matches) => matches.every(isBounded)) ?? first
}

const lookedUp =
  (candidates: Candidates<IndexLookup>): CandidateQuery =>
  (p) =>
    sql.join(
      [...candidates].map(([{ find }, values]) => find(values, p)),
      sql` union all `,
    )

const narrowlyFound =
  (matches: readonly NarrowMatch[], engine: SqlEngine): CandidateQuery =>
  (p) =>
    sql.join(
      matches.flatMap((match) => [
        sql`select ${sql.ref(match.index.id)} as id from ${sql.table(match.index.table)} where ${narrowCondition(match, { engine, parameter: p })}`,
        ...(match.index.inexact === undefined ? [] : [inexactRows(match.index, p)]),
      ]),
      sql` union all `,
    )
