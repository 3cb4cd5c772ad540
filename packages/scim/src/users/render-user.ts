import { type JsonObject, jsonText, type JsonText } from '@mintmark/storage-interface'
import { type GroupReference, type ListedUserRecord } from '@mintmark/storage-interface/stores'

import { renderMeta } from '../resource/meta.ts'
import { enterpriseUserSchema } from '../schema/user-schema.ts'
import { getMember, isObject, withMember } from '../values/json.ts'

/** The complete SCIM resource of a user (RFC 7643 §4.1), before a projection. */
export const renderUser = (user: ListedUserRecord, baseUrl: string): JsonObject => ({
  ...withManagerReference(JSON.parse(user.resource) as JsonObject, (userId) => userLocation(userId, baseUrl)),
  ...(JSON.parse(serverAttributes(user, baseUrl)) as JsonObject),
})

/**
 * The attributes that are not part of the stored resource: `id`, `externalId`, `active`, `groups` and `meta` (RFC 7643 §3.1, §4.1).
 * JSON text, because building an object and serializing it takes twice as long and a page has up to 200 users.
 */
export function serverAttributes(user: ListedUserRecord, baseUrl: string): JsonText {
  const { userId, externalId, active, groups } = user
  const external = externalId === undefined ? '' : `"externalId":${JSON.stringify(externalId)},`
  const membership =
    groups.length === 0 ? '' : `"groups":[${groups.map((group) => groupText(group, baseUrl)).join(',')}],`
  const meta = renderMeta({
    resourceType: 'User',
    record: user,
    location: userLocation(userId, baseUrl),
    version: userVersion(user),
  })
  return `{"id":${JSON.stringify(userId)},${external}"active":${active},${membership}"meta":${meta}}` as JsonText
}

/** The URL of a user. */
export const userLocation = (userId: string, baseUrl: string): string =>
  `${baseUrl}/Users/${encodeURIComponent(userId)}`

/**
 * The entity tag of a user (RFC 7644 §3.14). Groups are part of the resource but not of the user's row, so the tag also covers their
 * names: it changes exactly when the resource does.
 */
export function userVersion({ version, groups }: ListedUserRecord): string {
  const membership =
    groups.length === 0 ? '' : `.${fnv32(groups.map((group) => `${group.groupId} ${group.displayName}`).join('\n'))}`
  return `W/"${version}${membership}"`
}

/**
 * A user with `manager.$ref` set to the URL of the manager (RFC 7643 §4.3); only the server assigns it.
 * @param locate the URL of a user; undefined removes the reference.
 */
export function withManagerReference(resource: JsonObject, locate: (userId: string) => string | undefined): JsonObject {
  const enterprise = getMember(resource, enterpriseUserSchema.id)
  const manager = isObject(enterprise) ? getMember(enterprise, 'manager') : undefined
  const value = isObject(manager) ? getMember(manager, 'value') : undefined
  if (!isObject(enterprise) || !isObject(manager) || typeof value !== 'string') return resource
  const reference = withMember(manager, '$ref', locate(value))
  return withMember(resource, enterpriseUserSchema.id, withMember(enterprise, 'manager', reference))
}

const groupText = ({ groupId, displayName }: GroupReference, baseUrl: string): JsonText =>
  jsonText({
    value: groupId,
    $ref: `${baseUrl}/Groups/${encodeURIComponent(groupId)}`,
    display: displayName,
    type: 'direct',
  })

/** FNV-1a, 32 bits. Clients hold these tags, so the algorithm must not change. It distinguishes two lists and hides nothing. */
function fnv32(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}
