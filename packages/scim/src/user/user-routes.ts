import { listedUsers } from '../list/listed-users.ts'
import { searchEndpoints } from '../list/search-endpoints.ts'
import type { ScimCollection } from '../server/scim-call.ts'
import { createUser } from './create-user.ts'
import { patchUser } from './patch-user.ts'
import { readUser } from './read-user.ts'
import { removeUser } from './remove-user.ts'
import { replaceUser } from './replace-user.ts'
import type { UserDependencies } from './user-dependencies.ts'

/** What answers below /Users. */
export function userRoutes(deps: UserDependencies): ScimCollection {
  const { list, search } = searchEndpoints([listedUsers(deps)], deps)
  return {
    collection: { GET: list, POST: createUser(deps) },
    member: { GET: readUser(deps), PUT: replaceUser(deps), PATCH: patchUser(deps), DELETE: removeUser(deps) },
    named: { '.search': { POST: search } },
  }
}
