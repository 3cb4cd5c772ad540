import type { Journal, Random } from '@mintmark/internal'
import type { ScimStorage } from '@mintmark/storage-interface'
import { requireStores } from '@mintmark/storage-interface/stores'

import type { ScimOccurrence } from '../event/scim-event.ts'
import type { FilterLimits } from '../filter/parse-filter.ts'
import type { PageLimits } from '../list/search-request.ts'
import type { ListedType } from '../list/type-searches.ts'
import { resourceRoutes, type ServedType } from './resource-endpoints.ts'
import type { ScimCollection } from '../call/scim-call.ts'
import type { ScimLimits } from '../limits/scim-limits.ts'
import { nameKey } from '../values/text.ts'
import type { CustomTypes } from './custom-types.ts'
import { createReferences } from './references.ts'
import { storedType } from './stored-resources.ts'
import { suppliedType } from './supplied-resources.ts'

interface CustomRouteDependencies {
  readonly filterLimits: FilterLimits
  readonly limits: Pick<ScimLimits, 'resourceBytes' | 'customResources'>
  readonly pageLimits: PageLimits
  readonly storage: ScimStorage
  readonly random: Random
  readonly journal: Journal<ScimOccurrence>
  /** Users and groups, to which custom resources may refer. */
  readonly standard: readonly ListedType[]
}

/** A custom type, with the routes below its endpoint. */
interface CustomRoute {
  /** Lower-case, without the slash. */
  readonly path: string
  readonly listed: ListedType
  readonly routes: ScimCollection
}

/**
 * Creates the routes of the custom types of a server.
 * @throws TypeError when the storage cannot store resources of custom types, or the supplied resources of a type are
 * malformed.
 */
export function customRoutes({ stored, supplied }: CustomTypes, deps: CustomRouteDependencies): readonly CustomRoute[] {
  const { storage, standard } = deps
  if (stored.length > 0)
    requireStores(storage, { capability: 'customTypes', feature: 'createScimServer with stored resourceTypes' })
  const { customResources: store } = storage

  const routes: CustomRoute[] = []
  const findType = (name: string): ListedType | undefined =>
    [...standard, ...routes.map(({ listed }) => listed)].find(
      ({ resourceType }) => nameKey(resourceType.name) === nameKey(name),
    )
  const add = <Resource>(type: ServedType<Resource>): void => {
    const path = nameKey(type.listed.resourceType.endpoint.slice(1))
    routes.push({ path, listed: type.listed, routes: resourceRoutes(type, deps) })
  }
  for (const type of supplied) add(suppliedType(type))
  if (store !== undefined)
    for (const type of stored) add(storedType(type, { ...deps, store, references: createReferences(type, findType) }))
  return routes
}
