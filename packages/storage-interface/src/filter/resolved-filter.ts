/**
 * An attribute that a resolved filter tests, as the schema spells it. Within `element`, it is an attribute of the selected value;
 * everywhere else, of the resource.
 */
export interface FilterAttribute {
  /** The URN of the extension that defines it. */
  readonly extension: string | undefined
  readonly name: string
  /** A sub-attribute of a complex attribute that has one value. */
  readonly subName: string | undefined
  /** Whether it has several simple values; a test holds when one of them satisfies it. */
  readonly multiValued: boolean
}

/** eq, ne: equal or not; an attribute without a value is equal to nothing. gt, ge, lt, le: never hold without a value. */
export type OrderOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'

/** co, sw, ew: contains, starts with, ends with. */
export type TextOperator = OrderOperator | 'co' | 'sw' | 'ew'

/**
 * A filter whose names and values have been checked against a schema (RFC 7644 §3.4.2.2): plain frozen JSON, from which
 * stores build a predicate or SQL. It tests the comparable form of a resource, in which every string is case-folded unless its
 * attribute is case-exact, and every dateTime is a number. Laws of every evaluation:
 * - `present` holds if the value is not empty; for a complex value or several values, if one part is not empty.
 * - `ne` holds exactly if there is no value or one differs; `not` negates the whole operand.
 * - `element` holds if one and the same value of a multi-valued complex attribute satisfies `where`.
 * - `text` compares strings as they are; the order is by code point.
 * - `number` compares numbers; points in time are milliseconds since 1970.
 */
export type ResolvedFilter =
  | { readonly kind: 'or'; readonly operands: readonly ResolvedFilter[] }
  | { readonly kind: 'and'; readonly operands: readonly ResolvedFilter[] }
  | { readonly kind: 'not'; readonly operand: ResolvedFilter }
  | { readonly kind: 'element'; readonly attribute: FilterAttribute; readonly where: ResolvedFilter }
  | { readonly kind: 'present'; readonly attribute: FilterAttribute }
  | {
      readonly kind: 'text'
      readonly attribute: FilterAttribute
      readonly operator: TextOperator
      readonly value: string
    }
  | {
      readonly kind: 'number'
      readonly attribute: FilterAttribute
      readonly operator: OrderOperator
      readonly value: number
    }
  | {
      readonly kind: 'boolean'
      readonly attribute: FilterAttribute
      readonly operator: 'eq' | 'ne'
      readonly value: boolean
    }

/** The common structure of a resolved filter and of the forms derived from it. */
export type FilterShape =
  | { readonly kind: 'or' | 'and'; readonly operands: readonly FilterShape[] }
  | { readonly kind: 'not'; readonly operand: FilterShape }
  | { readonly kind: 'element'; readonly where: FilterShape }
  | { readonly kind: 'present' }
  | { readonly kind: 'text' | 'number' | 'boolean'; readonly operator: string }

/** How `comparisonsOf` counts the work of an evaluation. */
export interface ComparisonCosts {
  /** The cost of reading the list of values that an `element` tests, as a number of comparisons. */
  readonly list: number
  /** Whether the equalities of an `or` are evaluated together with one look-up, as in `matchesFilter`, or each is tested. */
  readonly equalities: 'together' | 'each'
}

/** Returns the largest number of comparisons that a filter can make with one value. Other work counts as comparisons of the same cost. */
export function comparisonsOf(filter: FilterShape, costs: ComparisonCosts): number {
  switch (filter.kind) {
    case 'or':
    case 'and': {
      const others = filter.operands.filter((operand) => filter.kind === 'and' || !isEvaluatedTogether(operand, costs))
      const lookups = others.length < filter.operands.length ? 1 : 0
      return others.reduce((sum, operand) => sum + comparisonsOf(operand, costs), lookups)
    }
    case 'not':
      return comparisonsOf(filter.operand, costs)
    case 'element':
      return costs.list + comparisonsOf(filter.where, costs)
    case 'present':
    case 'text':
    case 'number':
    case 'boolean':
      return 1
    default:
      return filter satisfies never
  }
}

const isEvaluatedTogether = (operand: FilterShape, { equalities }: ComparisonCosts): boolean =>
  equalities === 'together' && operand.kind === 'text' && operand.operator === 'eq'
