import type { JsonText, ListOutcome, ListQuery, ResolvedFilter, SortKey } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { FilterNode } from '../filter/filter-node.ts'
import { parseFilter } from '../filter/parse-filter.ts'
import { resolveFilter, targetOf } from '../filter/resolve-filter.ts'
import { parseProjection } from '../resource/project-resource.ts'
import { findAttribute, type ResolvedAttribute, parseAttributeName } from '../schema/find-attribute.ts'
import type { Projection, RenderContext } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { nameKey } from '../schema/schema.ts'
import type { ParseContext, ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import type { SearchRequest } from './search-request.ts'
import { resolveFilterAttribute, isStoredAttribute, toStorageFilter } from './searchable-filter.ts'

/** A type of resource that lists and searches are made of. */
export interface ListedType {
  readonly resourceType: ResourceType
  /** Where a resource of it is read: its `meta.location`. */
  readonly locationOf: (id: string, baseUrl: string) => string
  /** One page from storage, each resource as the answer shows it. */
  readonly list: (query: ListQuery, showing: RenderContext) => Promise<ListOutcome<JsonText>>
}

/** A search as it is made in one type. */
export interface TypeSearch {
  readonly type: ListedType
  readonly filter: ResolvedFilter | undefined
  readonly sort: SortKey | undefined
  readonly projection: Projection
}

/** A type, with the names that a search may use for it: see `amongTypes`. */
interface NamedType extends ListedType {
  readonly names: ResourceType
}

/**
 * What a search asks of each type. Types of which nothing can match are left out, and are not asked.
 * @throws ScimError invalidFilter — the reasons of `parseFilter`, `resolveFilter` and `searchableFilter`; invalidValue — the
 * reasons of `sortKeyOf`, and `sort_across_types`; invalidSyntax — the reasons of `parseProjection`.
 */
export function typeSearches(
  request: SearchRequest,
  types: readonly NamedType[],
  context: SearchContext,
): readonly TypeSearch[] {
  const filter = request.filter === undefined ? undefined : parseFilter(request.filter, context.tolerances)
  const searches = types.flatMap((type) => typeSearch(request, { filter, type }, context))
  // RFC 7644 §3.4.2.3: one order for all; lists that are each in it would have to be merged from their beginnings.
  if (searches.length > 1 && request.sortBy !== undefined) throw refusal('sort_across_types')
  return searches
}

interface SearchContext {
  readonly baseUrl: string
  readonly tolerances: ToleranceCounter
}

/** None when no resource of the type can match. */
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
 * What a list of one type is ordered by (RFC 7644 §3.4.2.3).
 * @param context of all types that are searched.
 * @returns undefined for the order of age, also when this type has no such attribute: then none of its resources has a value.
 * @throws ScimError invalidValue — reasons `sort_attribute`, `sort_order`. invalidPath is for PATCH (RFC 7644 §3.12, table 9).
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
  // RFC 7644 §3.12 invalidValue: there is no such attribute, or no value of it that could be compared.
  if (found === undefined || !isSortable(found)) throw refusal('sort_attribute')

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
  if (key !== 'ascending' && key !== 'descending') throw refusal('sort_order')
  return key
}

function isSortable(found: ResolvedAttribute): boolean {
  const { extension, attribute, subAttribute } = found
  if (attribute.returned === 'never' || subAttribute?.returned === 'never' || !isStoredAttribute(found)) return false
  if (extension === undefined && readApart.has(attribute.name)) return false
  // RFC 7644 §3.4.2.3: of a complex attribute a part is named; of several values their `value` is meant.
  const isComparable = attribute.multiValued && attribute.subAttributesByName.has('value')
  return attribute.type !== 'complex' || subAttribute !== undefined || isComparable
}

const isComplexList = ({ attribute }: ResolvedAttribute): boolean =>
  attribute.type === 'complex' && attribute.multiValued

/** Memberships: storage filters by them and does not sort. */
const readApart: ReadonlySet<string> = new Set(['groups', 'members'])
