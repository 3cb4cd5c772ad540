import type { GroupReference, JsonObject, JsonValue, ProvisionedUserRecord } from '@mintmark/storage-interface'

import { isObject, memberOf, withMember } from '../json/json-object.ts'
import { renderMeta } from '../resource/render-meta.ts'
import { enterpriseUserSchema } from '../schema/enterprise-user-schema.ts'

/** An account as a SCIM resource, whole (RFC 7643 §4.1): what a projection is made of. */
export function renderUser(user: ProvisionedUserRecord, baseUrl: string): JsonObject {
  const { resource, externalId, active, groups } = user
  return {
    ...withManagerReference(resource, baseUrl),
    id: user.userId,
    ...(externalId === undefined ? {} : { externalId }),
    active,
    ...(groups.length === 0 ? {} : { groups: groups.map((group) => renderGroup(group, baseUrl)) }),
    meta: renderMeta({
      resourceType: 'User',
      record: user,
      location: userLocation(user.userId, baseUrl),
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
export function userVersion({ version, groups }: ProvisionedUserRecord): string {
  const membership = groups.length === 0 ? '' : `.${checksum(groups.map((group) => `${group.groupId} ${group.displayName}`).join('\n'))}`
  return `W/"${version}${membership}"`
}

const renderGroup = ({ groupId, displayName }: GroupReference, baseUrl: string): JsonValue => ({
  value: groupId,
  $ref: `${baseUrl}/Groups/${encodeURIComponent(groupId)}`,
  display: displayName,
  type: 'direct',
})

/** RFC 7643 §4.3: `$ref` is the server's to make. */
function withManagerReference(resource: JsonObject, baseUrl: string): JsonObject {
  const enterprise = memberOf(resource, enterpriseUserSchema.id)
  const manager = isObject(enterprise) ? memberOf(enterprise, 'manager') : undefined
  const value = isObject(manager) ? memberOf(manager, 'value') : undefined
  if (!isObject(enterprise) || !isObject(manager) || typeof value !== 'string') return resource
  const reference = withMember(manager, '$ref', userLocation(value, baseUrl))
  return withMember(resource, enterpriseUserSchema.id, withMember(enterprise, 'manager', reference))
}

/** FNV-1a, 32 bits: tells two lists apart, and hides nothing. */
function checksum(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}
