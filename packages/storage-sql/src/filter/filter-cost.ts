import type { FilterTemplate } from './filter-template.ts'

/** How many comparisons a filter may make with a row. Taking a list apart is as much work as a few of them. */
export function comparisonsOf(filter: FilterTemplate): number {
  switch (filter.kind) {
    case 'or':
    case 'and':
      return filter.operands.reduce((sum, operand) => sum + comparisonsOf(operand), 0)
    case 'not':
      return comparisonsOf(filter.operand)
    case 'element':
      return 4 + comparisonsOf(filter.where)
    case 'present':
    case 'text':
    case 'number':
    case 'boolean':
      return 1
    default:
      return filter satisfies never
  }
}
