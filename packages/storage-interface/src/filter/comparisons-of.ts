/** What a resolved filter and what is made of one have in common. */
export type FilterShape =
  | { readonly kind: 'or' | 'and'; readonly operands: readonly FilterShape[] }
  | { readonly kind: 'not'; readonly operand: FilterShape }
  | { readonly kind: 'element'; readonly where: FilterShape }
  | { readonly kind: 'present' }
  | { readonly kind: 'text' | 'number' | 'boolean'; readonly operator: string }

/** What is how much work to whoever carries a filter out. */
export interface FilterWork {
  /** How many comparisons taking a list apart is worth. */
  readonly list: number
  /** Whether the equalities of an `or` are looked up as one, as `matchesFilter` does, or tested one by one. */
  readonly equalities: 'together' | 'each'
}

/** How many comparisons a filter may make with one value, or what is as much work. */
export function comparisonsOf(filter: FilterShape, work: FilterWork): number {
  switch (filter.kind) {
    case 'or':
    case 'and': {
      const others = filter.operands.filter((operand) => filter.kind === 'and' || !isJoined(operand, work))
      const lookups = others.length < filter.operands.length ? 1 : 0
      return others.reduce((sum, operand) => sum + comparisonsOf(operand, work), lookups)
    }
    case 'not':
      return comparisonsOf(filter.operand, work)
    case 'element':
      return work.list + comparisonsOf(filter.where, work)
    case 'present':
    case 'text':
    case 'number':
    case 'boolean':
      return 1
    default:
      return filter satisfies never
  }
}

const isJoined = (operand: FilterShape, { equalities }: FilterWork): boolean =>
  equalities === 'together' && operand.kind === 'text' && operand.operator === 'eq'
