import type { JsonObject, ProviderId, ProvisionedUserRecord } from '@mintmark/storage-interface'
import type { ProvisionedState } from '@mintmark/storage-interface/stores'

import { comparableResource } from '../resource/comparable-resource.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { getMember, getText, toObject } from '../values/json.ts'
import { excludedAttributes, readStoredResource, type UserRenderCache } from './render-cache.ts'
import type { ClaimChanges } from './user-claims.ts'

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
