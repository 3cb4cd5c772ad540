import { groupSchema, userSchema } from '@mintmark/scim/engine'
import { chunksOf, isJsonObject } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'
import type { ProvisioningTargetRecord } from '@mintmark/storage-interface/stores'

import { differences, isBoolean, patch } from './difference.ts'
import { type DesiredGroup, type DesiredUser, userAttributes } from './local-resources.ts'
import type { ChangeRequest, RemoteResource } from './partner.ts'

type RemovalPolicy = Pick<ProvisioningTargetRecord, 'onRemoval'>

/**
 * Returns the request that brings the partner's user to the desired state; undefined if nothing is to be done. The
 * partner's resource names ours by its `externalId`.
 */
export function planUser(
  desired: DesiredUser | undefined,
  remote: RemoteResource | undefined,
  target: RemovalPolicy,
): ChangeRequest | undefined {
  if (desired === undefined) return remote === undefined ? undefined : planRemoval(remote, target)
  const { userId, active, attributes } = desired
  // A user who was deactivated before the partner had them gets no account there.
  if (remote === undefined) return active ? creation(desired) : undefined
  const wanted: JsonObject = { ...attributes, externalId: userId }
  const operations = differences(wanted, remote, managedOf(attributes))
  const isActiveAs = isBoolean(remote['active'] ?? true, active)
  return patch('Users', remote, [
    ...operations,
    ...(isActiveAs ? [] : ([{ op: 'replace', path: 'active', value: active }] as const)),
  ])
}

/** Returns the attributes that are set or removed at the partner. */
const managedOf = (attributes: JsonObject): readonly string[] => [
  ...new Set([
    'externalId',
    ...userAttributes.filter((name) => !partnersOwn.has(name)),
    ...Object.keys(attributes).filter((name) => name !== 'schemas'),
  ]),
]

/** What a partner or its users set themselves. These are set if the user here has them, and never removed. */
const partnersOwn: ReadonlySet<string> = new Set([
  'roles',
  'entitlements',
  'x509Certificates',
  'photos',
  'locale',
  'timezone',
  'preferredLanguage',
])

function creation({ userId, active, attributes }: DesiredUser): ChangeRequest {
  const extensions = Object.entries(attributes).flatMap(([name, value]) =>
    name.includes(':') && isJsonObject(value) ? [name] : [],
  )
  return {
    method: 'POST',
    path: '/Users',
    body: { ...attributes, schemas: [userSchema.id, ...extensions], externalId: userId, active },
  }
}

function planRemoval(remote: RemoteResource, { onRemoval }: RemovalPolicy): ChangeRequest | undefined {
  if (onRemoval === 'delete') return { method: 'DELETE', path: `/Users/${encodeURIComponent(remote.id)}` }
  if (isBoolean(remote['active'] ?? true, false)) return undefined
  return patch('Users', remote, [{ op: 'replace', path: 'active', value: false }])
}

/** Returns the request that brings the partner's group to the desired name; undefined if nothing is to be done. */
export function planGroup(
  desired: DesiredGroup | undefined,
  remote: RemoteResource | undefined,
): ChangeRequest | undefined {
  if (desired === undefined)
    return remote === undefined ? undefined : { method: 'DELETE', path: `/Groups/${encodeURIComponent(remote.id)}` }
  const { groupId, displayName } = desired
  const wanted: JsonObject = { externalId: groupId, displayName }
  if (remote === undefined) return { method: 'POST', path: '/Groups', body: { schemas: [groupSchema.id], ...wanted } }
  return patch('Groups', remote, differences(wanted, remote, ['externalId', 'displayName']))
}

/**
 * Returns the requests that add and remove members of the partner's group.
 * @param members the identifiers of the partner's users that are to be its members.
 */
export function planMembers(remote: RemoteResource, members: readonly string[]): readonly ChangeRequest[] {
  // A partner's group may have hundreds of thousands of members.
  const [found, wanted] = [new Set(memberIds(remote)), new Set(members)]
  const added = [...wanted].filter((id) => !found.has(id))
  const removed = [...found].filter((id) => !wanted.has(id))
  return [...planAdditions(remote, added), ...planRemovals(remote, removed)]
}

/** A group changes with each request, so that no version is demanded. */
export function planAdditions(remote: RemoteResource, ids: readonly string[]): readonly ChangeRequest[] {
  return chunksOf(ids, membersInRequest).flatMap((some) => {
    const value = some.map((id) => ({ value: id }))
    const request = patch('Groups', { id: remote.id }, [{ op: 'add', path: 'members', value }])
    return request === undefined ? [] : [request]
  })
}

export function planRemovals(remote: RemoteResource, ids: readonly string[]): readonly ChangeRequest[] {
  return chunksOf(ids, membersInRequest).flatMap((some) => {
    const operations = some.map((id) => ({ op: 'remove', path: `members[value eq ${JSON.stringify(id)}]` }) as const)
    const request = patch('Groups', { id: remote.id }, operations)
    return request === undefined ? [] : [request]
  })
}

/** Returns the identifiers of the members that the partner's group has. */
export function memberIds({ members }: RemoteResource): readonly string[] {
  if (!Array.isArray(members)) return []
  return members.flatMap((member: unknown) => {
    const value = typeof member === 'object' && member !== null && 'value' in member ? member.value : undefined
    return typeof value === 'string' ? [value] : []
  })
}

/** Services must accept 50 operations on members, not more (IPSIE SCIM §6.2.6). */
const membersInRequest = 50
