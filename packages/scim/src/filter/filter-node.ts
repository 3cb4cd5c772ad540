import type { AttributeName } from '../schema/attribute-name.ts'

/** RFC 7644 §3.4.2.2, table 3; `pr` is a node of its own. */
export type ComparisonOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/** A value as it was written: JSON, or a text without quotes where that is tolerated. */
export type FilterLiteral =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'bare'; readonly text: string }

/** `attribute pr`: it has a value. */
export interface PresentNode {
  readonly kind: 'present'
  readonly attribute: AttributeName
}

/** `attribute operator value`. */
export interface CompareNode {
  readonly kind: 'compare'
  readonly attribute: AttributeName
  readonly operator: ComparisonOperator
  readonly value: FilterLiteral
}

/** `attribute[filter]`: one value satisfies the whole filter; `attribute[filter].sub …` when a test of the same value follows. */
export interface ValuePathNode {
  readonly kind: 'valuePath'
  readonly attribute: AttributeName
  readonly filter: FilterNode
  /** Outside the RFC's grammar; its attribute is a name relative to the value. */
  readonly test: PresentNode | CompareNode | undefined
}

/** A filter as it was written, before its names are looked up (RFC 7644 §3.4.2.2). Plain frozen data. */
export type FilterNode =
  | { readonly kind: 'or'; readonly operands: readonly FilterNode[] }
  | { readonly kind: 'and'; readonly operands: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly operand: FilterNode }
  | ValuePathNode
  | PresentNode
  | CompareNode
