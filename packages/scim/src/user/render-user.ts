import {
  jsonText,
  type GroupReference,
  type JsonObject,
  type JsonText,
  type ListedUserRecord,
} from '@mintmark/storage-interface'

import { metaText } from '../resource/render-meta.ts'
import { withManagerReference } from './manager-reference.ts'

/** An account as a SCIM resource, whole (RFC 7643 §4.1): what a projection is made of. */
export const renderUser = (user: ListedUserRecord, baseUrl: string): JsonObject => ({
  ...withManagerReference(JSON.parse(user.resource) as JsonObject, (userId) => userLocation(userId, baseUrl)),
  ...(JSON.parse(knownText(user, baseUrl)) as JsonObject),
})

/**
 * What is known of an account beside the resource that its provider wrote (RFC 7643 §3.1, §4.1): `id`, `externalId`, `active`,
 * `groups` and `meta`. Text, as `metaText` is.
 */
export function knownText(user: ListedUserRecord, baseUrl: string): JsonText {
  const { userId, externalId, active, groups } = user
  const external = externalId === undefined ? '' : `"externalId":${JSON.stringify(externalId)},`
  const membership =
    groups.length === 0 ? '' : `"groups":[${groups.map((group) => groupText(group, baseUrl)).join(',')}],`
  const meta = metaText({
    resourceType: 'User',
    record: user,
    location: userLocation(userId, baseUrl),
    version: userVersion(user),
  })
  return `{"id":${JSON.stringify(userId)},${external}"active":${active},${membership}"meta":${meta}}` as JsonText
}

/** Where the account is read. */
export const userLocation = (userId: string, baseUrl: string): string =>
  `${baseUrl}/Users/${encodeURIComponent(userId)}`

/**
 * The entity tag (RFC 7644 §3.14). Groups are part of the resource and not of its row: their names are a part of the tag, so
 * that it changes exactly when the resource does.
 */
export function userVersion({ version, groups }: ListedUserRecord): string {
  const membership =
    groups.length === 0 ? '' : `.${checksum(groups.map((group) => `${group.groupId} ${group.displayName}`).join('\n'))}`
  return `W/"${version}${membership}"`
}

const groupText = ({ groupId, displayName }: GroupReference, baseUrl: string): JsonText =>
  jsonText({
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
