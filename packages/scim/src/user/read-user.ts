import { isKnown } from '../message/preconditions.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { unchangedResponse } from '../message/scim-response.ts'
import type { ScimEndpoint } from '../server/scim-call.ts'
import { findUser } from './find-user.ts'
import { userLocation, userVersion } from './render-user.ts'
import { showUser } from './show-user.ts'
import type { UserDependencies } from './user-dependencies.ts'

/** GET /Users/{id} (RFC 7644 §3.4.1). */
export const readUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.userType)
    const user = await findUser(call, deps)
    const version = userVersion(user)
    if (isKnown(call.request, version))
      return unchangedResponse({ location: userLocation(user.userId, call.baseUrl), version })
    return showUser(user, { status: 200, projection, call }, deps)
  }
