import type { JsonObject, JsonValue, ProvisionedUserRecord } from '@mintmark/storage-interface'
import type { ProviderId, ProvisionedState } from '@mintmark/storage-interface/stores'

import { comparableResource } from '../resource/comparable-resource.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { getMember, getText, isArray, isObject, toObject } from '../values/json.ts'
import { excludedAttributes, readStoredResource, type UserRenderCache } from './render-cache.ts'

/** A user as a provider wrote it: the state to store, and a password. */
export interface WrittenUser {
  readonly state: ProvisionedState
  /** The resource of `state`, as an object. */
  readonly resource: JsonObject
  /** For the host's `password` hook; it is not stored. */
  readonly password: string | undefined
}

/** Dependencies of `userState`. */
export interface UserStateDependencies {
  readonly userType: ResourceType
  readonly renderCache: UserRenderCache
  /** Derives OIDC claims from a SCIM resource. */
  readonly claims: (resource: JsonObject) => ClaimChanges
}

/**
 * The columns to store for a resource.
 * @param document the resource, with names spelled as in the schema.
 * @param before the provider, `active` for a document without it, and the current claims: those that do not derive from SCIM
 * stay.
 */
export function userState(
  document: JsonObject,
  before: { readonly providerId: ProviderId; readonly active: boolean; readonly claims: JsonObject },
  { userType, renderCache, claims }: UserStateDependencies,
): WrittenUser {
  const active = getMember(document, 'active')
  const resource = toObject(Object.entries(document).filter(([name]) => !excludedAttributes.has(name)))
  const state: ProvisionedState = {
    // RFC 7644 §3.5.1 lets the server choose the value of an omitted attribute: omitting `active` never reactivates a user.
    active: typeof active === 'boolean' ? active : before.active,
    externalId: getText(document, 'externalId'),
    ...renderCache.toStored(resource, before.providerId),
    comparable: comparableResource(resource, userType),
    claims: toObject([...Object.entries(before.claims), ...Object.entries(claims(resource))]),
  }
  return { state, resource, password: getText(document, 'password') }
}

/** The resource of a user that PUT and PATCH change. It contains the `id`, because Okta repeats it in a PATCH. */
export const userDocument = (user: ProvisionedUserRecord): JsonObject =>
  toObject([
    ...Object.entries(readStoredResource(user)),
    ['id', user.userId],
    ['externalId', user.externalId],
    ['active', user.active],
  ])

/** Claims to set; undefined removes a claim from the user. */
export type ClaimChanges = Readonly<Record<string, JsonValue | undefined>>

/**
 * The OIDC claims of a SCIM user (OIDC Core §5.1). They do not include roles, entitlements and user types, because only the host
 * decides what an identity provider may grant.
 * @param isVerified whether an e-mail address counts as verified.
 */
export function userClaims(resource: JsonObject, isVerified: (email: string) => boolean): ClaimChanges {
  const name = partOf(resource, 'name')
  const email = preferredValue(getMember(resource, 'emails'))
  const phoneNumber = preferredValue(getMember(resource, 'phoneNumbers'))
  return {
    name: getText(resource, 'displayName') ?? getText(name, 'formatted') ?? joinedName(name),
    given_name: getText(name, 'givenName'),
    family_name: getText(name, 'familyName'),
    middle_name: getText(name, 'middleName'),
    nickname: getText(resource, 'nickName'),
    preferred_username: getText(resource, 'userName'),
    profile: webAddress(getText(resource, 'profileUrl')),
    picture: webAddress(preferredValue(getMember(resource, 'photos'))),
    locale: getText(resource, 'locale'),
    zoneinfo: getText(resource, 'timezone'),
    email,
    email_verified: email === undefined ? undefined : isVerified(email),
    phone_number: phoneNumber,
    // OIDC Core §5.1: an address from a provider is not verified by the host, whose `claims` option may change this.
    phone_number_verified: phoneNumber === undefined ? undefined : false,
  }
}

/** The primary value, else the work value, else the first. */
function preferredValue(values: JsonValue | undefined): string | undefined {
  const elements = isArray(values) ? values.filter(isObject) : []
  const preferred =
    elements.find((element) => getMember(element, 'primary') === true) ??
    elements.find((element) => getMember(element, 'type') === 'work') ??
    elements[0]
  return preferred === undefined ? undefined : getText(preferred, 'value')
}

/** A profile page or picture (OIDC Core §5.1). Clients render it as a link, so `javascript:` and `file:` URLs are dropped. */
function webAddress(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined
}

function joinedName(name: JsonObject): string | undefined {
  const parts = [getText(name, 'givenName'), getText(name, 'familyName')].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(' ')
}

function partOf(resource: JsonObject, attribute: string): JsonObject {
  const value = getMember(resource, attribute)
  return isObject(value) ? value : {}
}
