import type { FilterAttribute, TextOperator } from '@mintmark/storage-interface'
import type { Sql } from '../json-search.ts'
import type { Parameter } from '../statement.ts'

/** An index that finds rows by a text. */
export interface IndexLookup {
  /** The table that has the index, and the column of the texts. */
  readonly table: string
  readonly by: string
  /** How many rows one text may be expected to find. */
  readonly rows: number
  /** That a row of the table has any of the texts, given by the names of their values. */
  readonly condition: (values: readonly string[], parameter: Parameter<string>) => Sql
  /** A query for the identifiers of those rows. */
  readonly find: (values: readonly string[], parameter: Parameter<string>) => Sql
}

/** Indexes by the attribute whose texts they hold, such as `userName` and `emails.value`. */
export type IndexLookups = ReadonlyMap<string, IndexLookup>

/** What is asked of a filter here, which may be a resolved one or its template. */
type DemandingFilter =
  | { readonly kind: 'or' | 'and'; readonly operands: readonly DemandingFilter[] }
  | { readonly kind: 'element'; readonly attribute: FilterAttribute; readonly where: DemandingFilter }
  | TextComparison
  | { readonly kind: 'not' | 'present' | 'number' | 'boolean' }

interface TextComparison {
  readonly kind: 'text'
  readonly attribute: FilterAttribute
  readonly operator: TextOperator
  readonly value: string
}

/** Look-ups whose rows are all that a filter can match, each with the values to look up: texts, or in a template their names. */
export type Candidates = ReadonlyMap<IndexLookup, readonly string[]>

/**
 * Where a filter demands a text of which there is an index, the rows that have it; the filter itself is still to be tested
 * on them. `undefined` when every row has to be looked at.
 */
export function findCandidates(filter: DemandingFilter, lookups: IndexLookups, parent?: string): Candidates | undefined {
  switch (filter.kind) {
    case 'text':
      return ofEquality(filter, lookups, parent)
    case 'element':
      return parent === undefined && isPlain(filter.attribute)
        ? findCandidates(filter.where, lookups, filter.attribute.name)
        : undefined
    case 'and':
      return fewest(filter.operands.map((operand) => findCandidates(operand, lookups, parent)))
    case 'or':
      return union(filter.operands.map((operand) => findCandidates(operand, lookups, parent)))
    case 'not':
    case 'present':
    case 'number':
    case 'boolean':
      return undefined
    default:
      return filter satisfies never
  }
}

function ofEquality(
  { attribute, operator, value }: TextComparison,
  lookups: IndexLookups,
  parent: string | undefined,
): Candidates | undefined {
  if (operator !== 'eq' || !isPlain(attribute)) return undefined
  const lookup = lookups.get(parent === undefined ? attribute.name : `${parent}.${attribute.name}`)
  return lookup && new Map([[lookup, [value]]])
}

/** All of the operands hold: the rows of any one of them are enough. */
function fewest(operands: readonly (Candidates | undefined)[]): Candidates | undefined {
  const [best] = operands.filter((each) => each !== undefined).toSorted((one, other) => rowsOf(one) - rowsOf(other))
  return best
}

/** One of the operands holds: it takes the rows of all of them. */
function union(operands: readonly (Candidates | undefined)[]): Candidates | undefined {
  const all = new Map<IndexLookup, readonly string[]>()
  for (const operand of operands) {
    if (operand === undefined) return undefined
    for (const [lookup, values] of operand) all.set(lookup, [...(all.get(lookup) ?? []), ...values])
  }
  return all.size === 0 ? undefined : all
}

const rowsOf = (candidates: Candidates): number =>
  [...candidates].reduce((sum, [{ rows }, values]) => sum + rows * values.length, 0)

const isPlain = ({ extension, subName }: FilterAttribute): boolean => extension === undefined && subName === undefined
