import type { Pieces } from '@mintmark/internal'
import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { ListOutcome, ListQuery, SortKey } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import type { FilterNode } from '../filter/filter-node.ts'
import { type FilterLimits, parseFilter } from '../filter/parse-filter.ts'
import { resolveFilter, targetOf } from '../filter/resolve-filter.ts'
import { parseProjection } from '../resource/resource.ts'
import { findAttribute, parseAttributeName, type ResolvedAttribute } from '../schema/find-attribute.ts'
import type { Projection, RenderContext, RenderedResource } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { ParseContext } from '../schema/parse-context.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import type { SearchRequest } from './search-request.ts'
import { isStoredAttribute, resolveFilterAttribute, toStorageFilter } from './searchable-filter.ts'
import { nameKey } from '../values/text.ts'

/** A resource type that can be listed and searched. */
export interface ListedType {
  readonly resourceType: ResourceType
  /** The URL of a resource: its `meta.location`. */
  readonly locationOf: (id: string, baseUrl: string) => string
  /** Reads one page from storage. Its records are its resources, or the work that renders them, which has not started. */
  readonly list: (query: ListQuery, renderContext: RenderContext) => Promise<ListOutcome<ListedResource>>
}

export type ListedResource = RenderedResource | Pieces<RenderedResource>

/** A search of one resource type. */
export interface TypeSearch {
  readonly type: ListedType
  readonly filter: ResolvedFilter | undefined
  readonly sort: SortKey | undefined
  readonly projection: Projection
}

/** A resource type with the names that a search may use: see `withAttributesOf`. */
interface NamedType extends ListedType {
  readonly names: ResourceType
}

/**
 * Resolves a search for each resource type. Types without possible matches are omitted. `sortBy` orders the resources
 * of each type; one type follows the other, because one order for all would require merging their lists from the start
 * (RFC 7644 §3.4.2.3).
 * @throws ScimError invalidFilter — the reasons of `parseFilter`, `resolveFilter` and `toStorageFilter`; invalidValue —
 * the reasons of `sortKeyOf`; invalidSyntax — the reasons of `parseProjection`.
 */
export function typeSearches(
  request: SearchRequest,
  types: readonly NamedType[],
  context: SearchContext,
): readonly TypeSearch[] {
  const filter =
    request.filter === undefined ? undefined : parseFilter(request.filter, context.tolerances, context.filterLimits)
  return types.flatMap((type) => typeSearch(request, { filter, type }, context))
}

interface SearchContext {
  readonly baseUrl: string
  readonly filterLimits: FilterLimits
  readonly tolerances: ToleranceCounter
}

/** Resolves a search for one type. Returns an empty list when no resource of the type can match. */
function typeSearch(
  request: SearchRequest,
  { filter, type }: { readonly filter: FilterNode | undefined; readonly type: NamedType },
  { baseUrl, tolerances }: SearchContext,
): readonly TypeSearch[] {
  const { resourceType, names } = type
  const sort = sortKeyOf(request, { resourceType: names, tolerances }, resourceType)
  const projection = parseProjection(request, resourceType)
  const locationPrefix = type.locationOf('', baseUrl)
  const searchable =
    filter === undefined || toStorageFilter(resolveFilter(filter, names, tolerances), { resourceType, locationPrefix })
  if (searchable === false) return []
  return [{ type, filter: searchable === true ? undefined : searchable, sort, projection }]
}

/**
 * Returns the sort key of a list of one type (RFC 7644 §3.4.2.3).
 * @param context resolves the names of all searched types.
 * @returns undefined for the order of creation. It also applies when the type does not define the attribute, because
 * then no resource has a value.
 * @throws ScimError invalidValue — reasons `sort_attribute`, `sort_order`. invalidPath is for PATCH (RFC 7644 §3.12,
 * table 9).
 */
function sortKeyOf(
  { sortBy, sortOrder }: Pick<SearchRequest, 'sortBy' | 'sortOrder'>,
  context: ParseContext,
  resourceType: ResourceType,
): SortKey | undefined {
  if (sortBy === undefined) return undefined
  const direction = directionOf(sortOrder)
  const name = parseAttributeName(sortBy)
  const found = name === undefined ? undefined : findAttribute(name, context)
  // RFC 7644 §3.12 invalidValue: the attribute does not exist or has no comparable value.
  if (found === undefined || !isSortable(found)) throw refuse('sort_attribute', { value: sortBy })

  const target = targetOf({ ...found, subAttribute: isComplexList(found) ? undefined : found.subAttribute })
  if (resolveFilterAttribute(target, resourceType) === undefined) return undefined
  return {
    attribute: target,
    elementPart: isComplexList(found) ? (found.subAttribute?.name ?? 'value') : undefined,
    direction,
  }
}

function directionOf(sortOrder = 'ascending'): SortKey['direction'] {
  const key = nameKey(sortOrder)
  // RFC 7644 §3.4.2.3: ascending or descending.
  if (key !== 'ascending' && key !== 'descending') throw refuse('sort_order')
  return key
}

function isSortable(found: ResolvedAttribute): boolean {
  const { extension, attribute, subAttribute } = found
  if (attribute.returned === 'never' || subAttribute?.returned === 'never' || !isStoredAttribute(found)) return false
  if (extension === undefined && membershipAttributes.has(attribute.name)) return false
  // RFC 7644 §3.4.2.3: a complex attribute is sorted by a named sub-attribute, a multi-valued one by its `value`.
  const isComparable = attribute.multiValued && attribute.subAttributesByName.has('value')
  return attribute.type !== 'complex' || subAttribute !== undefined || isComparable
}

const isComplexList = ({ attribute }: ResolvedAttribute): boolean =>
  attribute.type === 'complex' && attribute.multiValued

/** Memberships: storage can filter by them but not sort. */
const membershipAttributes: ReadonlySet<string> = new Set(['groups', 'members'])
