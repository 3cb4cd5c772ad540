import type { JsonObject, ResolvedFilter } from '@mintmark/storage-interface'

import { isArray, isObject, memberOf } from '../json/json-object.ts'
import type { Assignment } from './assignment.ts'

/**
 * How much work an assignment is: the values of the list that it goes through, as often as its filter makes it worth it. A dozen
 * comparisons with a value are as much work as the rest of what is done with it.
 */
export function valuesLookedAt(resource: JsonObject, { target: { attribute, extension, where } }: Assignment): number {
  const owner = extension === undefined ? resource : memberOf(resource, extension)
  const list = isObject(owner) ? memberOf(owner, attribute.name) : undefined
  if (!isArray(list)) return 0
  return list.length * (1 + (where === undefined ? 0 : comparisonsOf(where.filter)) / 12)
}

/** How many comparisons a filter may make with one value; any number of equalities are looked up as one (see `matchesFilter`). */
function comparisonsOf(filter: ResolvedFilter): number {
  switch (filter.kind) {
    case 'or':
    case 'and': {
      const isLookedUp = (operand: ResolvedFilter): boolean => filter.kind === 'or' && operand.kind === 'text' && operand.operator === 'eq'
      const others = filter.operands.filter((operand) => !isLookedUp(operand))
      const lookups = others.length < filter.operands.length ? 1 : 0
      return others.reduce((sum, operand) => sum + comparisonsOf(operand), lookups)
    }
    case 'not':
      return comparisonsOf(filter.operand)
    case 'element':
      return comparisonsOf(filter.where)
    case 'present':
    case 'text':
    case 'number':
    case 'boolean':
      return 1
    default:
      return filter satisfies never
  }
}
