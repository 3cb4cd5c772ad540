import { type AttributeName, printAttributeName } from '../schema/find-attribute.ts'

/** RFC 7644 §3.4.2.2, table 3; `pr` has a separate node. */
type ComparisonOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/** A literal as written: a JSON value, or unquoted text where that is tolerated. */
export type FilterLiteral =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'bare'; readonly text: string }

/** `attribute pr`: the attribute has a value. */
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

/**
 * `attribute[filter]`, which matches when one value satisfies the whole filter; or `attribute[filter].sub …`, which
 * also tests a sub-attribute of the same value.
 */
export interface ValuePathNode {
  readonly kind: 'valuePath'
  readonly attribute: AttributeName
  readonly filter: FilterNode
  /** The test after the brackets, which is not in the RFC's grammar. Its attribute name is relative to the value. */
  readonly test: PresentNode | CompareNode | undefined
}

/** A parsed filter whose attribute names are not yet resolved (RFC 7644 §3.4.2.2). Frozen. */
export type FilterNode =
  | { readonly kind: 'or'; readonly operands: readonly FilterNode[] }
  | { readonly kind: 'and'; readonly operands: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly operand: FilterNode }
  | ValuePathNode
  | PresentNode
  | CompareNode

/** Prints a filter as text that `parseFilter` parses to the same filter. */
export function printFilter(node: FilterNode): string {
  switch (node.kind) {
    case 'or':
      return node.operands
        .map((operand) => (operand.kind === 'or' ? inParentheses(operand) : printFilter(operand)))
        .join(' or ')
    case 'and':
      return node.operands
        .map((operand) => (isSequence(operand) ? inParentheses(operand) : printFilter(operand)))
        .join(' and ')
    case 'not':
      return `not ${inParentheses(node.operand)}`
    case 'valuePath':
      return `${printAttributeName(node.attribute)}[${printFilter(node.filter)}]${node.test === undefined ? '' : `.${printTest(node.test)}`}`
    case 'present':
    case 'compare':
      return printTest(node)
    default:
      return node satisfies never
  }
}

const inParentheses = (node: FilterNode): string => `(${printFilter(node)})`

const isSequence = ({ kind }: FilterNode): boolean => kind === 'or' || kind === 'and'

function printTest(node: PresentNode | CompareNode): string {
  const name = printAttributeName(node.attribute)
  return node.kind === 'present' ? `${name} pr` : `${name} ${node.operator} ${printLiteral(node.value)}`
}

function printLiteral(literal: FilterLiteral): string {
  switch (literal.kind) {
    case 'text':
      return JSON.stringify(literal.value)
    case 'number':
    case 'bare':
      return literal.text
    case 'boolean':
      return String(literal.value)
    case 'null':
      return 'null'
    default:
      return literal satisfies never
  }
}
