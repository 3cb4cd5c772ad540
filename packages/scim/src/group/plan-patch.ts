import type { GroupRecord, Storage } from '@mintmark/storage-interface'

import { memberOf } from '../json/json-object.ts'
import { applyAssignments } from '../patch/apply-patch.ts'
import type { Assignment } from '../patch/assignment.ts'
import type { ParseContext } from '../tolerance/parse-context.ts'
import { groupDocument } from './group-document.ts'
import { memberIds } from './member-ids.ts'
import { membersOf } from './members-of.ts'
import { needsMembers, planMembers } from './plan-members.ts'
import type { GroupWrite } from './write-group.ts'

/**
 * What a PATCH makes of a group (RFC 7644 §3.5.2), with its members as a change and not as a list: a group of ten thousand is not
 * read because one of them leaves. Only operations that cannot be understood otherwise read who is there.
 */
export async function planPatch(
  group: GroupRecord,
  assignments: readonly Assignment[],
  { reading, storage }: { readonly reading: ParseContext; readonly storage: Storage },
): Promise<GroupWrite> {
  const attribute = reading.resourceType.attributesByName.get('members')
  const ofMembers = assignments.filter(({ target }) => target.attribute === attribute)
  if (ofMembers.some(needsMembers)) {
    const document = groupDocument(group, await membersOf(group, { storage }))
    const { resource } = applyAssignments(document, assignments, reading)
    return {
      document: resource,
      members: { kind: 'replace', memberIds: memberIds(memberOf(resource, 'members')) },
      readAt: group.version,
    }
  }
  const others = assignments.filter(({ target }) => target.attribute !== attribute)
  const { resource } = applyAssignments(groupDocument(group), others, reading)
  return { document: resource, members: planMembers(ofMembers, reading.tolerances), readAt: undefined }
}
