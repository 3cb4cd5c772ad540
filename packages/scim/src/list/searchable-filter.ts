import { matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import { type FilterAttribute } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { attributeLabel, type ResolvedAttribute } from '../schema/find-attribute.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { locationFilter } from './location-filter.ts'
import { isWritable } from '../resource/read-value.ts'
import { nameKey } from '../values/text.ts'

/** The resource type that a filter searches. */
interface SearchedType {
  readonly resourceType: ResourceType
  /** The part of `meta.location` before the id. */
  readonly locationPrefix: string
}

/**
 * Rewrites a filter to the attributes that storage knows (see `ListQuery`), or to `true` or `false` when all or no
 * resources match. An attribute that the type does not define has no value (RFC 7644 §3.4.2.1), and some
 * server-assigned values are known in advance.
 * @throws ScimError invalidFilter — reason `filter_attribute_unsearchable`, because an empty result would be wrong for
 * an attribute that cannot be searched.
 */
export function toStorageFilter(filter: ResolvedFilter, type: SearchedType): ResolvedFilter | boolean {
  switch (filter.kind) {
    case 'or':
    case 'and':
      return combine(
        filter.kind,
        filter.operands.map((operand) => toStorageFilter(operand, type)),
      )
    case 'not': {
      const operand = toStorageFilter(filter.operand, type)
      return typeof operand === 'boolean' ? !operand : { kind: 'not', operand }
    }
    case 'element':
    case 'present':
    case 'text':
    case 'number':
    case 'boolean':
      return toStorageTest(filter, type)
    default:
      return filter satisfies never
  }
}

type Test = Exclude<ResolvedFilter, { readonly kind: 'or' | 'and' | 'not' }>

/** Removes constant operands, or returns the constant that decides the result. */
function combine(kind: 'or' | 'and', operands: readonly (ResolvedFilter | boolean)[]): ResolvedFilter | boolean {
  const deciding = kind === 'or'
  if (operands.includes(deciding)) return deciding
  const remaining = operands.filter((operand) => typeof operand !== 'boolean')
  const [only] = remaining
  if (only === undefined) return !deciding
  return remaining.length === 1 ? only : { kind, operands: remaining }
}

function toStorageTest(test: Test, { resourceType, locationPrefix }: SearchedType): ResolvedFilter | boolean {
  const found = resolveFilterAttribute(test.attribute, resourceType)
  if (found === undefined) return matchesFilter(test)({})
  const label = attributeLabel(found)
  // RFC 7643 §3.1: every resource has this attribute.
  if (test.kind === 'present' && alwaysPresent.has(label)) return true
  if (label === 'meta.resourceType') return matchesFilter(test)({ meta: { resourceType: resourceType.name } })
  if (label === 'meta.location' && test.kind === 'text') return locationFilter(test, locationPrefix)
  requireStored(found)
  if (test.kind === 'element') requireStoredParts(test.where, found)
  return test
}

function requireStored(found: ResolvedAttribute): void {
  // RFC 7644 §3.4.2.2 invalidFilter: an empty result would be wrong.
  if (!isStoredAttribute(found)) throw refuse('filter_attribute_unsearchable', { attribute: attributeLabel(found) })
}

function requireStoredParts(where: ResolvedFilter, found: ResolvedAttribute): void {
  switch (where.kind) {
    case 'or':
    case 'and':
      for (const operand of where.operands) requireStoredParts(operand, found)
      return
    case 'not':
      return requireStoredParts(where.operand, found)
    case 'element':
    case 'present':
    case 'text':
    case 'number':
    case 'boolean':
      return requireStored({
        ...found,
        subAttribute: found.attribute.subAttributesByName.get(nameKey(where.attribute.name)),
      })
    default:
      return where satisfies never
  }
}

const alwaysPresent: ReadonlySet<string> = new Set([
  'id',
  'meta',
  'meta.created',
  'meta.lastModified',
  'meta.location',
  'meta.version',
])

/**
 * Returns the attribute that a filter tests. Returns undefined when the type does not define it: then no resource has a
 * value.
 */
export function resolveFilterAttribute(
  target: FilterAttribute,
  resourceType: ResourceType,
): ResolvedAttribute | undefined {
  const { extension, name, subName } = target
  const owner = extension === undefined ? resourceType : resourceType.extensionsByUrn.get(nameKey(extension))
  const attribute = owner?.attributesByName.get(nameKey(name))
  if (attribute === undefined) return undefined
  const subAttribute = subName === undefined ? undefined : attribute.subAttributesByName.get(nameKey(subName))
  return { extension, attribute, subAttribute }
}

/**
 * Returns whether storage can filter and sort by an attribute. It can if identity providers write the attribute, or if
 * `ListQuery` names it. Other read-only attributes are computed when a resource is rendered.
 */
export function isStoredAttribute(found: ResolvedAttribute): boolean {
  const isWritten = isWritable(found.attribute) && (found.subAttribute === undefined || isWritable(found.subAttribute))
  return isWritten || knownToStorage.has(attributeLabel(found))
}

const knownToStorage: ReadonlySet<string> = new Set([
  'schemas',
  'id',
  'meta.created',
  'meta.lastModified',
  'groups',
  'groups.value',
])
