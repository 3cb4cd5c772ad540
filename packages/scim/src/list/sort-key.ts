import type { SortKey } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { targetOf } from '../filter/resolve-filter.ts'
import { parseAttributeName } from '../schema/attribute-name.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import { findAttribute, type FoundAttribute } from '../schema/find-attribute.ts'
import { nameKey } from '../schema/name-key.ts'
import type { ParseContext } from '../tolerance/parse-context.ts'
import type { SearchRequest } from './search-request.ts'
import { attributeOf, isStored } from './stored-attribute.ts'

/**
 * What a list of one type is ordered by (RFC 7644 §3.4.2.3).
 * @param reading of all types that are searched.
 * @returns undefined for the order of age, also when this type has no such attribute: then none of its resources has a value.
 * @throws ScimError invalidValue — reasons `sort_attribute`, `sort_order`. invalidPath is for PATCH (RFC 7644 §3.12, table 9).
 */
export function sortKeyOf(
  { sortBy, sortOrder }: Pick<SearchRequest, 'sortBy' | 'sortOrder'>,
  reading: ParseContext,
  resourceType: ResourceType,
): SortKey | undefined {
  if (sortBy === undefined) return undefined
  const direction = directionOf(sortOrder)
  const name = parseAttributeName(sortBy)
  const found = name === undefined ? undefined : findAttribute(name, reading)
  // RFC 7644 §3.12 invalidValue: there is no such attribute, or no value of it that could be compared.
  if (found === undefined || !isSortable(found)) throw refusal('sort_attribute')

  const target = targetOf({ ...found, subAttribute: isComplexList(found) ? undefined : found.subAttribute })
  if (attributeOf(target, resourceType) === undefined) return undefined
  return {
    attribute: target,
    elementPart: isComplexList(found) ? (found.subAttribute?.name ?? 'value') : undefined,
    direction,
  }
}

function directionOf(sortOrder = 'ascending'): SortKey['direction'] {
  const key = nameKey(sortOrder)
  // RFC 7644 §3.4.2.3: ascending or descending.
  if (key !== 'ascending' && key !== 'descending') throw refusal('sort_order')
  return key
}

function isSortable(found: FoundAttribute): boolean {
  const { extension, attribute, subAttribute } = found
  if (attribute.returned === 'never' || subAttribute?.returned === 'never' || !isStored(found)) return false
  if (extension === undefined && readApart.has(attribute.name)) return false
  // RFC 7644 §3.4.2.3: of a complex attribute a part is named; of several values their `value` is meant.
  const isComparable = attribute.multiValued && attribute.subAttributesByName.has('value')
  return attribute.type !== 'complex' || subAttribute !== undefined || isComparable
}

const isComplexList = ({ attribute }: FoundAttribute): boolean => attribute.type === 'complex' && attribute.multiValued

/** Memberships: storage filters by them and does not sort. */
const readApart: ReadonlySet<string> = new Set(['groups', 'members'])
