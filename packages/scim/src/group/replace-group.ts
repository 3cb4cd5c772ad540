import { memberOf } from '../json/json-object.ts'
import { readMessage } from '../message/read-message.ts'
import { readQuery } from '../message/read-query.ts'
import { requestedAttributes } from '../message/requested-attributes.ts'
import { parseResource } from '../resource/parse-resource.ts'
import { replaceResource } from '../resource/replace-resource.ts'
import type { ScimEndpoint } from '../server/scim-call.ts'
import { noteTolerances, parseContextOf } from '../server/read-call.ts'
import { givesType } from './gives-type.ts'
import type { GroupDependencies } from './group-dependencies.ts'
import { groupDocument } from './group-document.ts'
import { memberIds } from './member-ids.ts'
import { membersOf } from './members-of.ts'
import { showGroup } from './show-group.ts'
import { writeGroup } from './write-group.ts'

/** PUT /Groups/{id} (RFC 7644 §3.5.1): what is left out is cleared, members too; it never creates. */
export const replaceGroup =
  (deps: GroupDependencies): ScimEndpoint =>
  async (call) => {
    const projection = requestedAttributes(readQuery(call.request), deps.groupType)
    const reading = parseContextOf(call, deps.groupType)
    const { resource } = parseResource(readMessage(call.request), reading)
    noteTolerances(reading, call, deps.journal)
    const given = memberOf(resource, 'members')
    const members = { kind: 'replace', memberIds: memberIds(given) } as const
    const group = await writeGroup(
      call,
      async (current) => {
        // RFC 7643 §4.2: the type of somebody who is there cannot be given otherwise. Without types there is nothing to compare.
        const present = givesType(given) ? await membersOf(current, deps) : []
        const document = replaceResource(groupDocument(current, present), resource, deps.groupType).resource
        return { document, members, readAt: undefined }
      },
      deps,
    )
    return showGroup(group, { status: 200, projection, call }, deps)
  }
