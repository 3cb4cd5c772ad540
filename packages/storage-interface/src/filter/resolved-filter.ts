/**
 * An attribute that a resolved filter tests, as the schema spells it. Below `element` it belongs to the value that was
 * selected, everywhere else to the resource.
 */
export interface FilterAttribute {
  /** The URN of the extension that holds it. */
  readonly extension: string | undefined
  readonly name: string
  /** A sub-attribute of a complex attribute that has one value. */
  readonly subName: string | undefined
  /** Whether it has several simple values; a test holds when one of them satisfies it. */
  readonly multiValued: boolean
}

/** eq, ne: identical or not; an attribute without a value is not identical to anything. gt, ge, lt, le: never without a value. */
export type OrderOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'

/** co, sw, ew: contains, starts with, ends with. */
export type TextOperator = OrderOperator | 'co' | 'sw' | 'ew'

/**
 * A filter whose names and values have been checked against a schema (RFC 7644 §3.4.2.2): plain frozen JSON, fit for a
 * fold to a predicate or to SQL. It is about the comparable form of a resource, in which every text stands as it is
 * compared (its case folded where the attribute is not case-exact) and every dateTime is a number. Laws of every fold:
 * - `present` holds for a value that is not empty; of a complex value or of several, when one part is not empty.
 * - `ne` holds exactly when there is no value or one differs; `not` is plain negation of the whole operand.
 * - `element` holds when one and the same value of a multi-valued complex attribute satisfies `where`.
 * - `text` compares as it stands; order is by code point.
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
