import type { ResolvedFilter } from '@mintmark/storage-interface'

/** The same filter, frozen down to its leaves. */
export function frozenFilter(filter: ResolvedFilter): ResolvedFilter {
  switch (filter.kind) {
    case 'or':
    case 'and':
      return Object.freeze({ ...filter, operands: Object.freeze(filter.operands.map(frozenFilter)) })
    case 'not':
      return Object.freeze({ ...filter, operand: frozenFilter(filter.operand) })
    case 'element':
      return Object.freeze({ ...filter, attribute: Object.freeze(filter.attribute), where: frozenFilter(filter.where) })
    default:
      return Object.freeze({ ...filter, attribute: Object.freeze(filter.attribute) })
  }
}
