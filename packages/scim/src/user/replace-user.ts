import { readMessage } from '../message/read-message.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { parseResource } from '../resource/parse-resource.ts'
import { replaceResource } from '../resource/replace-resource.ts'
import type { ScimEndpoint } from '../server/scim-call.ts'
import { noteTolerances, parseContextOf } from '../server/read-call.ts'
import { showUser } from './show-user.ts'
import type { UserDependencies } from './user-dependencies.ts'
import { writeUser } from './write-user.ts'

/** PUT /Users/{id} (RFC 7644 §3.5.1): what is left out is cleared; it never creates. */
export const replaceUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.userType)
    const reading = parseContextOf(call, deps.userType)
    const { resource } = parseResource(readMessage(call.request), reading)
    noteTolerances(reading, call, deps.journal)
    const user = await writeUser(call, (document) => replaceResource(document, resource, deps.userType).resource, deps)
    return showUser(user, { status: 200, projection, call }, deps)
  }
