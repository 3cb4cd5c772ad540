import type { JsonObject, ProviderId, ProvisionedState, ProvisionedUserRecord } from '@mintmark/storage-interface'

import { comparableResource } from '../resource/comparable-resource.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { getMember, toObject, getText } from '../values/json.ts'
import { excludedAttributes, readStoredResource, type UserRenderCache } from './render-cache.ts'
import type { ClaimChanges } from './user-claims.ts'

/** What is stored of a user that a provider wrote, and the password that it wrote beside it. */
export interface WrittenUser {
  readonly state: ProvisionedState
  /** The resource of `state`, as values. */
  readonly resource: JsonObject
  /** For the host alone: it is not stored here. */
  readonly password: string | undefined
}

/** What a written user is made of beside its resource. */
export interface UserStateDependencies {
  readonly userType: ResourceType
  readonly renderCache: UserRenderCache
  /** OIDC claims that follow from a SCIM resource. */
  readonly claims: (resource: JsonObject) => ClaimChanges
}

/**
 * Takes a resource apart into what is stored.
 * @param document with names as the schema spells them.
 * @param before whose account it is, `active` when the document does not say, and the claims that the account has: those that
 * SCIM knows nothing of stay.
 */
export function userState(
  document: JsonObject,
  before: { readonly providerId: ProviderId; readonly active: boolean; readonly claims: JsonObject },
  { userType, renderCache, claims }: UserStateDependencies,
): WrittenUser {
  const active = getMember(document, 'active')
  const resource = toObject(Object.entries(document).filter(([name]) => !excludedAttributes.has(name)))
  const state: ProvisionedState = {
    // RFC 7644 §3.5.1 lets a server choose for what was left out: nobody is reactivated by silence.
    active: typeof active === 'boolean' ? active : before.active,
    externalId: getText(document, 'externalId'),
    ...renderCache.toStored(resource, before.providerId),
    comparable: comparableResource(resource, userType),
    claims: toObject([...Object.entries(before.claims), ...Object.entries(claims(resource))]),
  }
  return { state, resource, password: getText(document, 'password') }
}

/** What a provider may write of an account, as one SCIM resource: what PUT and PATCH work on. Okta repeats the `id` in a PATCH. */
export const userDocument = (user: ProvisionedUserRecord): JsonObject =>
  toObject([
    ...Object.entries(readStoredResource(user)),
    ['id', user.userId],
    ['externalId', user.externalId],
    ['active', user.active],
  ])
