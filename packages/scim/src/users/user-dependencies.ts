import type { Journal, Turns } from '@mintmark/internal'
import type { Random } from '@mintmark/internal'
import type { JsonObject, JsonValue, ScimStorage, UserId } from '@mintmark/storage-interface'
import type { ProviderId } from '@mintmark/storage-interface/stores'

import type { DeprovisioningLimiter } from '../deprovisioning/deprovisioning-limiter.ts'
import type { RevocationLister, ScimOccurrence } from '../event/scim-event.ts'
import type { FilterLimits } from '../filter/parse-filter.ts'
import type { PageLimits } from '../list/search-request.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { ResourceQuota } from '../call/resource-quota.ts'
import type { UserRenderCache } from './render-cache.ts'

/** Dependencies of `userState`. */
export interface UserStateDependencies {
  readonly userType: ResourceType
  readonly renderCache: UserRenderCache
  readonly claims: ClaimMapping
}

/** Derives OIDC claims from a SCIM resource. */
export interface ClaimMapping {
  /** The claims of OIDC Core §5.1. */
  readonly standard: (resource: JsonObject, source: ClaimSource) => ClaimChanges
  /** The claims of the host's `claims` option. */
  readonly custom: (resource: JsonObject, source: ClaimSource) => ClaimChanges
}

/** The user whose claims are derived, and the provider that sent the resource. */
export interface ClaimSource {
  /** The identity provider that created or changed the user. */
  readonly providerId: ProviderId
  /** The e-mail domains that an administrator has verified for the provider. */
  readonly verifiedDomains: readonly string[]
  /** The user. A new user will get this identifier. */
  readonly userId: UserId
}

/** Claims to set; undefined removes a claim from the user. */
export type ClaimChanges = Readonly<Record<string, JsonValue | undefined>>

/** A user as it is before a provider creates, links or changes it. */
export interface UserBefore {
  readonly source: ClaimSource
  readonly active: boolean
  readonly claims: JsonObject
  /**
   * Set if the host created the user and the provider was linked to it later: the resource that the provider last sent, or
   * `linked` if the provider is being linked now.
   */
  readonly hostUser?: JsonObject | 'linked' | undefined
}

/** Dependencies of the user endpoints. */
export interface UserDependencies extends UserStateDependencies {
  readonly turns: Turns
  readonly filterLimits: FilterLimits
  readonly pageLimits: PageLimits
  readonly storage: ScimStorage
  readonly userQuota: ResourceQuota
  readonly random: Random
  readonly journal: Journal<ScimOccurrence>
  readonly listRevokedAccess: RevocationLister
  readonly hooks: ProvisioningHooks
  /** Undefined if the host has set no deprovisioning limit. */
  readonly deprovisioningLimiter: DeprovisioningLimiter | undefined
}

/**
 * Hooks of the host. When a hook throws, the request fails with 500. `link` and `mayChange` run before the user is written,
 * so nothing is written then. `password` runs after the user is written; if the provider repeats the request, it runs again.
 */
export interface ProvisioningHooks {
  /**
   * Chooses the existing user that a new user of the provider is linked to.
   * @defaultValue No user is ever linked. An equal e-mail address or userName does not prove that it is the same person.
   */
  readonly link?: (candidate: LinkCandidate) => Promise<UserId | undefined>
  /**
   * Whether a provider may change, link, deactivate or remove a user; false refuses the request with 403.
   * @defaultValue Every change is allowed. The users belong to the provider.
   */
  readonly mayChange?: (change: ProposedChange) => Promise<boolean>
  /**
   * Receives a password that a provider set, to hash and store.
   * @defaultValue Passwords are dropped. Users of a provider sign in at the provider.
   */
  readonly password?: (change: { readonly userId: UserId; readonly password: string }) => Promise<void>
}

/** A user that a provider creates and that is not linked yet. */
interface LinkCandidate {
  readonly providerId: ProviderId
  readonly externalId: string | undefined
  /** The SCIM resource, without its password. */
  readonly resource: JsonObject
}

/** A change that a provider is about to make to a user. */
export interface ProposedChange {
  readonly providerId: ProviderId
  readonly userId: UserId
  /** `revoke_access`: the provider signs the user out everywhere by Universal Logout. */
  readonly kind: 'update' | 'deactivate' | 'reactivate' | 'remove' | 'revoke_access'
  /** The claims that the user has after the change; undefined when the user is removed. */
  readonly claims: JsonObject | undefined
}
