import type { JsonObject, EpochSeconds } from '../values.ts'
import type { FilterAttribute, TextOperator } from './resolved-filter.ts'

/** An index of a store that finds rows by a string. */
export interface TextLookup {
  /** The number of rows that one string is expected to find. */
  readonly rows: number
}

/** A resolved filter, or a filter with names in place of its values. */
type LookupFilter =
  | { readonly kind: 'or' | 'and'; readonly operands: readonly LookupFilter[] }
  | { readonly kind: 'element'; readonly attribute: FilterAttribute; readonly where: LookupFilter }
  | TextComparison
  | { readonly kind: 'not' | 'present' | 'number' | 'boolean' }

interface TextComparison {
  readonly kind: 'text'
  readonly attribute: FilterAttribute
  readonly operator: TextOperator
  readonly value: string
}

/**
 * Lookups that together find every row that the filter can match, each with the values to look up: strings, or names in place of
 * them.
 */
export type Candidates<Lookup> = ReadonlyMap<Lookup, readonly string[]>

/**
 * Returns lookups that find the rows with an indexed string that the filter requires. The filter must still be evaluated on those
 * rows. Returns `undefined` if every row has to be read.
 * @param lookups by the attribute whose strings they index, such as `userName` and `emails.value`.
 */
export function findCandidates<Lookup extends TextLookup>(
  filter: LookupFilter,
  lookups: ReadonlyMap<string, Lookup>,
  parent?: string,
): Candidates<Lookup> | undefined {
  switch (filter.kind) {
    case 'text':
      return findByEquality(filter, lookups, parent)
    case 'element':
      return parent === undefined && isPlain(filter.attribute)
        ? findCandidates(filter.where, lookups, filter.attribute.name)
        : undefined
    case 'and':
      return chooseFewest(filter.operands.map((operand) => findCandidates(operand, lookups, parent)))
    case 'or':
      return unite(filter.operands.map((operand) => findCandidates(operand, lookups, parent)))
    case 'not':
    case 'present':
    case 'number':
    case 'boolean':
      return undefined
    default:
      return filter satisfies never
  }
}

function findByEquality<Lookup>(
  { attribute, operator, value }: TextComparison,
  lookups: ReadonlyMap<string, Lookup>,
  parent: string | undefined,
): Candidates<Lookup> | undefined {
  if (operator !== 'eq' || !isPlain(attribute)) return undefined
  const lookup = lookups.get(parent === undefined ? attribute.name : `${parent}.${attribute.name}`)
  return lookup && new Map([[lookup, [value]]])
}

/** Chooses the operand with the fewest rows. All operands must match, so the rows of one operand are enough. */
function chooseFewest<Lookup extends TextLookup>(
  operands: readonly (Candidates<Lookup> | undefined)[],
): Candidates<Lookup> | undefined {
  const [best] = operands
    .filter((each) => each !== undefined)
    .toSorted((one, other) => expectedRows(one) - expectedRows(other))
  return best
}

/** Unites the rows of all operands. Each row matches at least one operand, so the rows of all operands are needed. */
function unite<Lookup>(operands: readonly (Candidates<Lookup> | undefined)[]): Candidates<Lookup> | undefined {
  const all = new Map<Lookup, readonly string[]>()
  for (const operand of operands) {
    if (operand === undefined) return undefined
    for (const [lookup, values] of operand) all.set(lookup, [...(all.get(lookup) ?? []), ...values])
  }
  return all.size === 0 ? undefined : all
}

const expectedRows = (candidates: Candidates<TextLookup>): number =>
  [...candidates].reduce((sum, [{ rows }, values]) => sum + rows * values.length, 0)

const isPlain = ({ extension, subName }: FilterAttribute): boolean => extension === undefined && subName === undefined

/** Returns the attributes that a store adds to the comparable form of every resource: see `ListQuery`. */
export function knownMembers(id: string, row: KnownAttributes): JsonObject {
  const meta = { created: row.createdAt * 1000, lastModified: row.updatedAt * 1000 }
  return row.externalId === undefined ? { id, meta } : { id, meta, externalId: row.externalId }
}

interface KnownAttributes {
  readonly externalId: string | undefined
  readonly createdAt: EpochSeconds
  readonly updatedAt: EpochSeconds
}
