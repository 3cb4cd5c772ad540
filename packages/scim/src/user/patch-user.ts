import { readMessage } from '../message/read-message.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { applyPatch } from '../patch/apply-patch.ts'
import { parsePatch } from '../patch/parse-patch.ts'
import type { ScimEndpoint } from '../server/scim-call.ts'
import { noteTolerances, parseContextOf } from '../server/read-call.ts'
import { showUser } from './show-user.ts'
import type { UserDependencies } from './user-dependencies.ts'
import { writeUser } from './write-user.ts'

/**
 * PATCH /Users/{id} (RFC 7644 §3.5.2): all operations or none, in one write. With `active: false` among them, that write is the
 * person's last moment here.
 */
export const patchUser =
  (deps: UserDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.userType)
    const body = readMessage(call.request)
    const user = await writeUser(
      call,
      (document) => {
        const reading = parseContextOf(call, deps.userType)
        const { resource } = applyPatch(document, parsePatch(body, reading.tolerances), reading)
        noteTolerances(reading, call, deps.journal)
        return resource
      },
      deps,
    )
    return showUser(user, { status: 200, projection, call }, deps)
  }
