import type { ScimCollection } from '../server/scim-call.ts'
import { createUser } from './create-user.ts'
import { patchUser } from './patch-user.ts'
import { readUser } from './read-user.ts'
import { removeUser } from './remove-user.ts'
import { replaceUser } from './replace-user.ts'
import type { UserDependencies } from './user-dependencies.ts'

/** What answers below /Users. */
export const userRoutes = (deps: UserDependencies): ScimCollection => ({
  collection: { POST: createUser(deps) },
  member: { GET: readUser(deps), PUT: replaceUser(deps), PATCH: patchUser(deps), DELETE: removeUser(deps) },
})
