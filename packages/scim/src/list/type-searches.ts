import type { ResolvedFilter, SortKey } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { FilterNode } from '../filter/filter-node.ts'
import { parseFilter } from '../filter/parse-filter.ts'
import { resolveFilter } from '../filter/resolve-filter.ts'
import { parseProjection } from '../resource/parse-projection.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import type { Projection } from '../schema/shown-attributes.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import type { ListedType } from './listed-type.ts'
import type { SearchRequest } from './search-request.ts'
import { searchableFilter } from './searchable-filter.ts'
import { sortKeyOf } from './sort-key.ts'

/** A search as it is made in one type. */
export interface TypeSearch {
  readonly type: ListedType
  readonly filter: ResolvedFilter | undefined
  readonly sort: SortKey | undefined
  readonly projection: Projection
}

/** A type, with the names that a search may use for it: see `amongTypes`. */
export interface NamedType extends ListedType {
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
  const filter = request.filter === undefined ? undefined : parseFilter(request.filter, context.tally)
  const searches = types.flatMap((type) => typeSearch(request, { filter, type }, context))
  // RFC 7644 §3.4.2.3: one order for all; lists that are each in it would have to be merged from their beginnings.
  if (searches.length > 1 && request.sortBy !== undefined) throw refusal('sort_across_types')
  return searches
}

interface SearchContext {
  readonly baseUrl: string
  readonly tally: ToleranceCounter
}

/** None when no resource of the type can match. */
function typeSearch(
  request: SearchRequest,
  { filter, type }: { readonly filter: FilterNode | undefined; readonly type: NamedType },
  { baseUrl, tally }: SearchContext,
): readonly TypeSearch[] {
  const { resourceType, names } = type
  const sort = sortKeyOf(request, { resourceType: names, tolerances: tally }, resourceType)
  const projection = parseProjection(request, resourceType)
  const locationPrefix = type.locationOf('', baseUrl)
  const searchable =
    filter === undefined || searchableFilter(resolveFilter(filter, names, tally), { resourceType, locationPrefix })
  if (searchable === false) return []
  return [{ type, filter: searchable === true ? undefined : searchable, sort, projection }]
}
