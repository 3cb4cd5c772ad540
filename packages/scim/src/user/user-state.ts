import type { JsonObject, ProviderId, ProvisionedState } from '@mintmark/storage-interface'

import { memberOf, objectOf, textOf } from '../json/json-object.ts'
import { comparableResource } from '../resource/comparable-resource.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import { storedResource } from './resource-text.ts'
import { storedApart } from './stored-apart.ts'
import type { ClaimChanges } from './user-claims.ts'
import type { UserRenderer } from './user-form.ts'

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
  readonly userForm: UserRenderer
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
  { userType, userForm, claims }: UserStateDependencies,
): WrittenUser {
  const active = memberOf(document, 'active')
  const resource = objectOf(Object.entries(document).filter(([name]) => !storedApart.has(name)))
  const state: ProvisionedState = {
    // RFC 7644 §3.5.1 lets a server choose for what was left out: nobody is reactivated by silence.
    active: typeof active === 'boolean' ? active : before.active,
    externalId: textOf(document, 'externalId'),
    ...storedResource(resource, before.providerId, userForm),
    comparable: comparableResource(resource, userType),
    claims: objectOf([...Object.entries(before.claims), ...Object.entries(claims(resource))]),
  }
  return { state, resource, password: textOf(document, 'password') }
}
