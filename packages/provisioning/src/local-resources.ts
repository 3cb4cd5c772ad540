import { enterpriseUserSchema, userSchema } from '@mintmark/scim/engine'
import { isJsonObject } from '@mintmark/internal'
import {
  type AdminStorage,
  type JsonObject,
  type JsonValue,
  groupId as toGroupId,
  userId as toUserId,
  type UserRecord,
} from '@mintmark/storage-interface'
import type { GroupRecord, ProviderId, ProvisioningTargetRecord } from '@mintmark/storage-interface/stores'

/** A user of this server, as the option `render` receives it. */
export interface LocalUser {
  readonly userId: string
  readonly active: boolean
  /** The identity provider that provisions the user; undefined for a user of the host. */
  readonly providerId: string | undefined
  /** The claims of the user, by OIDC claim name. */
  readonly claims: JsonObject
  /** What the partner gets: attributes of a SCIM user, without `id`, `externalId`, `active`, `groups` and `meta`. */
  readonly resource: JsonObject
}

/** Returns the attributes that a partner gets; undefined for a user who is not provisioned there. */
export type RenderUser = (user: LocalUser, targetId: string) => JsonObject | undefined

export interface LocalDependencies {
  readonly storage: AdminStorage
  readonly render: RenderUser
}

/** What a partner should have of a user. */
export interface DesiredUser {
  readonly userId: string
  readonly userName: string
  readonly active: boolean
  readonly attributes: JsonObject
}

/** What a partner should have of a group, without its members. */
export interface DesiredGroup {
  readonly groupId: string
  readonly providerId: ProviderId
  readonly displayName: string
}

/** A target, and what it selects. */
export interface Selection {
  readonly targetId: string
  readonly target: ProvisioningTargetRecord
}

/** Reads what the partner should have of a user; undefined if the user is removed or not selected. */
export async function readUser(
  id: string,
  selection: Selection,
  deps: LocalDependencies,
): Promise<DesiredUser | undefined> {
  const user = await deps.storage.users.find(toUserId(id))
  return user === undefined ? undefined : desiredUser(user, selection, deps)
}

/** Returns what the partner should have of a user; undefined if the user is not selected. */
export async function desiredUser(
  user: UserRecord,
  { targetId, target }: Selection,
  { storage, render }: LocalDependencies,
): Promise<DesiredUser | undefined> {
  const { userId, providerId, active, claims } = user
  const isSelected = providerId === undefined ? target.includesHostUsers : target.providerIds.includes(providerId)
  if (!isSelected) return undefined
  const resource =
    providerId === undefined ? resourceOfClaims(claims, userId) : await providedResource(providerId, userId, storage)
  if (resource === undefined) return undefined
  const attributes = render({ userId, active, providerId, claims, resource }, targetId)
  if (attributes === undefined) return undefined
  const userName = attributes['userName']
  if (typeof userName !== 'string' || userName === '')
    throw new TypeError('render must return a userName, or undefined for a user who is not provisioned.')
  return { userId, userName, active, attributes }
}

async function providedResource(
  providerId: ProviderId,
  userId: UserRecord['userId'],
  storage: AdminStorage,
): Promise<JsonObject | undefined> {
  const provided = await storage.provisionedUsers.find(providerId, userId, { without: 'groups' })
  const resource: unknown = provided === undefined ? undefined : JSON.parse(provided.resource)
  return isJsonObject(resource as JsonValue) ? standardAttributes(resource as JsonObject) : undefined
}

/** The attributes of RFC 7643 §4.1 and §4.3 that can be written; partners need not know the host's own. */
export const userAttributes: readonly string[] = userSchema.attributes
  .filter(({ mutability, name }) => mutability === 'readWrite' && name !== 'active')
  .map(({ name }) => name)

const enterpriseUser = enterpriseUserSchema.id

const standardAttributes = (resource: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      if (name === enterpriseUser && isJsonObject(value)) return [[name, withoutManager(value)]]
      return userAttributes.includes(name) ? [[name, value]] : []
    }),
  )

/** The manager is a reference to a resource of this server, which is another one at the partner. */
const withoutManager = (extension: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(extension).filter(([name]) => name !== 'manager'))

/** Derives a SCIM user from the claims of a user of the host (OIDC Core §5.1). */
function resourceOfClaims(claims: JsonObject, userId: string): JsonObject {
  const text = (name: string): string | undefined => {
    const value = claims[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const email = text('email')
  const phone = text('phone_number')
  const name = { formatted: text('name'), familyName: text('family_name'), givenName: text('given_name') }
  return present({
    userName: text('preferred_username') ?? email ?? userId,
    displayName: text('name'),
    name: Object.values(name).some((part) => part !== undefined) ? present(name) : undefined,
    emails: email === undefined ? undefined : [{ value: email, type: 'work', primary: true }],
    phoneNumbers: phone === undefined ? undefined : [{ value: phone, type: 'work' }],
    locale: text('locale'),
    timezone: text('zoneinfo'),
  })
}

const present = (members: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** Reads what the partner should have of a group; undefined if it is removed or not selected. */
export async function readGroup(
  id: string,
  { target }: Selection,
  { storage }: LocalDependencies,
): Promise<DesiredGroup | undefined> {
  for (const providerId of target.providerIds) {
    const group = await storage.groups.find(providerId, toGroupId(id))
    if (group !== undefined) return desiredGroup(group)
  }
  return undefined
}

export const desiredGroup = ({ groupId, providerId, displayName }: GroupRecord): DesiredGroup => ({
  groupId,
  providerId,
  displayName,
})

/** Returns the users who are direct members of a group. Groups in groups are not provisioned. */
export async function memberUsers(
  { groupId, providerId }: DesiredGroup,
  { storage }: LocalDependencies,
): Promise<readonly string[]> {
  const id = toGroupId(groupId)
  const members = (await storage.groups.membersOf(providerId, [id])).get(id) ?? []
  return members.flatMap(({ memberId, type }) => (type === 'User' ? [memberId] : []))
}
