import { printAttributeName } from '../schema/attribute-name.ts'
import type { CompareNode, FilterLiteral, FilterNode, PresentNode } from './filter-node.ts'

/** The text of a filter; `parseFilter` reads the same filter from it. */
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
