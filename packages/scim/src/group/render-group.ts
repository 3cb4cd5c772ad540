import type { GroupMember, GroupRecord, JsonObject, JsonText, JsonValue } from '@mintmark/storage-interface'

import { objectOf } from '../json/json-object.ts'
import { metaText } from '../resource/render-meta.ts'
import { userLocation } from '../user/render-user.ts'

/**
 * A group as a SCIM resource, whole (RFC 7643 §4.2): what a projection is made of.
 * @param members nobody when the projection does not show them: see `loadMembers`.
 */
export function renderGroup(group: GroupRecord, members: readonly GroupMember[], baseUrl: string): JsonObject {
  const { groupId, resource, externalId } = group
  return objectOf([
    ...Object.entries(resource),
    ['id', groupId],
    ['externalId', externalId],
    ['members', members.length === 0 ? undefined : members.map((member) => renderMember(member, baseUrl))],
    ['meta', JSON.parse(groupMeta(group, baseUrl)) as JsonObject],
  ])
}

const groupMeta = (group: GroupRecord, baseUrl: string): JsonText =>
  metaText({
    resourceType: 'Group',
    record: group,
    location: groupLocation(group.groupId, baseUrl),
    version: groupVersion(group),
  })

/** Where the group is read. */
export const groupLocation = (groupId: string, baseUrl: string): string =>
  `${baseUrl}/Groups/${encodeURIComponent(groupId)}`

/** The entity tag (RFC 7644 §3.14). A group's row advances with its members too: the tag changes exactly when the resource does. */
export const groupVersion = ({ version }: GroupRecord): string => `W/"${version}"`

/** RFC 7643 §4.2: who it is says what it is and where. A name is not shown: it is the member's own, and would go stale here. */
const renderMember = ({ memberId, type }: GroupMember, baseUrl: string): JsonValue => ({
  value: memberId,
  $ref: type === 'User' ? userLocation(memberId, baseUrl) : groupLocation(memberId, baseUrl),
  type,
})
