import { readMessage } from '../message/read-message.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { emptyResponse } from '../message/scim-response.ts'
import { assignmentsOf } from '../patch/assignments-of.ts'
import { parsePatch } from '../patch/parse-patch.ts'
import type { ScimEndpoint } from '../server/scim-call.ts'
import { noteTolerances, parseContextOf } from '../server/read-call.ts'
import type { GroupDependencies } from './group-dependencies.ts'
import { planPatch } from './plan-patch.ts'
import { groupVersion } from './render-group.ts'
import { showGroup } from './show-group.ts'
import { writeGroup } from './write-group.ts'

/**
 * PATCH /Groups/{id} (RFC 7644 §3.5.2): all operations or none, in one write. The answer is 204, so that nobody has to read ten
 * thousand members because one has left; with `attributes` or `excludedAttributes` it is 200 and shows the group.
 */
export const patchGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.groupType)
    const body = readMessage(call.request)
    const group = await writeGroup(
      call,
      async (current) => {
        const reading = parseContextOf(call, deps.groupType)
        const assignments = parsePatch(body, reading.tolerances).flatMap((operation) =>
          assignmentsOf(operation, reading),
        )
        const write = await planPatch(current, assignments, { reading, storage: deps.storage })
        noteTolerances(reading, call, deps.journal)
        return write
      },
      deps,
    )
    if (projection === deps.groupType.shownByDefault) return emptyResponse([['ETag', groupVersion(group)]])
    return showGroup(group, { status: 200, projection, call }, deps)
  }
