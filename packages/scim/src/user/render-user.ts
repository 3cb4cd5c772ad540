import type { GroupReference, JsonObject, JsonValue, ListedUserRecord } from '@mintmark/storage-interface'

import { renderMeta } from '../resource/render-meta.ts'
import { withManagerReference } from './manager-reference.ts'

/** An account as a SCIM resource, whole (RFC 7643 §4.1): what a projection is made of. */
export const renderUser = (user: ListedUserRecord, baseUrl: string): JsonObject => ({
  ...withManagerReference(JSON.parse(user.resource) as JsonObject, (userId) => userLocation(userId, baseUrl)),
  ...renderKnown(user, baseUrl),
})

/** What is known of an account beside the resource that its provider wrote. */
export function renderKnown(user: ListedUserRecord, baseUrl: string): JsonObject {
  const { userId, externalId, active, groups } = user
  return {
    id: userId,
    ...(externalId === undefined ? {} : { externalId }),
    active,
    ...(groups.length === 0 ? {} : { groups: groups.map((group) => renderGroup(group, baseUrl)) }),
    meta: renderMeta({
      resourceType: 'User',
      record: user,
      location: userLocation(userId, baseUrl),
      version: userVersion(user),
    }),
  }
}

/** Where the account is read. */
export const userLocation = (userId: string, baseUrl: string): string => `${baseUrl}/Users/${encodeURIComponent(userId)}`

/**
 * The entity tag (RFC 7644 §3.14). Groups are part of the resource and not of its row: their names are a part of the tag, so
 * that it changes exactly when the resource does.
 */
export function userVersion({ version, groups }: ListedUserRecord): string {
  const membership = groups.length === 0 ? '' : `.${checksum(groups.map((group) => `${group.groupId} ${group.displayName}`).join('\n'))}`
  return `W/"${version}${membership}"`
}

const renderGroup = ({ groupId, displayName }: GroupReference, baseUrl: string): JsonValue => ({
  value: groupId,
  $ref: `${baseUrl}/Groups/${encodeURIComponent(groupId)}`,
  display: displayName,
  type: 'direct',
})

/** FNV-1a, 32 bits: tells two lists apart, and hides nothing. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}
