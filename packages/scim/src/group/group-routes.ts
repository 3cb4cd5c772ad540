import { listedGroups } from '../list/listed-groups.ts'
import { searchEndpoints } from '../list/search-endpoints.ts'
import type { ScimCollection } from '../server/scim-call.ts'
import { createGroup } from './create-group.ts'
import type { GroupDependencies } from './group-dependencies.ts'
import { patchGroup } from './patch-group.ts'
import { readGroup } from './read-group.ts'
import { removeGroup } from './remove-group.ts'
import { replaceGroup } from './replace-group.ts'

/** What answers below /Groups. */
export function groupRoutes(deps: GroupDependencies): ScimCollection {
  const { list, search } = searchEndpoints([listedGroups(deps)], deps)
  return {
    collection: { GET: list, POST: createGroup(deps) },
    member: { GET: readGroup(deps), PUT: replaceGroup(deps), PATCH: patchGroup(deps), DELETE: removeGroup(deps) },
    named: { '.search': { POST: search } },
  }
}
