import { decodeSegment } from '@mintmark/internal'
import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { FilterAttribute, TextOperator } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'

/**
 * Rewrites a test of `meta.location` as a test of `id`, or as `true` or `false` when it matches all or no resources. A location
 * is a prefix common to all resources of a type, followed by the id as a path segment.
 * @throws ScimError invalidFilter — reason `filter_attribute_unsearchable`, for other operators than `eq` and `ne`.
 */
export function locationFilter(
  { operator, value }: { readonly operator: TextOperator; readonly value: string },
  prefix: string,
): ResolvedFilter | boolean {
  // RFC 7644 §3.4.2.2 invalidFilter: a location is stored as an id, which is written differently.
  if (operator !== 'eq' && operator !== 'ne')
    throw refuse('filter_attribute_unsearchable', { attribute: 'meta.location' })
  const id = value.startsWith(prefix) ? decodeSegment(value.slice(prefix.length)) : undefined
  // The server writes each location in one way only.
  if (id === undefined || prefix + encodeURIComponent(id) !== value) return operator === 'ne'
  const test = { kind: 'text', attribute: idAttribute, operator: 'eq', value: id } as const
  return operator === 'eq' ? test : { kind: 'not', operand: test }
}

const idAttribute: FilterAttribute = { extension: undefined, name: 'id', subName: undefined, multiValued: false }
