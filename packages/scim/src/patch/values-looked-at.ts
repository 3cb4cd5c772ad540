import { comparisonsOf, type JsonObject } from '@mintmark/storage-interface'

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
  return list.length * (1 + (where === undefined ? 0 : comparisonsOf(where.filter, work)) / 12)
}

/** Any number of equalities are looked up as one: see `matchesFilter`. */
const work = { list: 0, equalities: 'together' } as const
