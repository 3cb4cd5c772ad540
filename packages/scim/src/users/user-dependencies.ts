import type { Journal } from '@mintmark/core/http'
import type { Random } from '@mintmark/core/runtime'
import type { EpochSeconds, JsonObject, ProviderId, ScimStorage, UserId, UserRecord } from '@mintmark/storage-interface'

import type { DeprovisioningLimiter } from '../deprovisioning/deprovisioning-limiter.ts'
import type { RevokedAccess, ScimOccurrence } from '../event/scim-event.ts'
import type { UserStateDependencies } from './user-state.ts'

/** What the endpoints of users ask for, made once per server. */
export interface UserDependencies extends UserStateDependencies {
  readonly storage: ScimStorage
  readonly random: Random
  readonly journal: Journal<ScimOccurrence>
  /** What was a person's until now, for the event of its end: asked of storage only where a listener of the host's is told. */
  readonly listRevokedAccess: (before: UserRecord, now: EpochSeconds) => Promise<RevokedAccess | undefined>
  readonly hooks: ProvisioningHooks
  /** Undefined when a provider may end any number of accounts. */
  readonly deprovisioningLimiter: DeprovisioningLimiter | undefined
}

/**
 * Where the host has a say. What a hook throws refuses the request as a failure of the server; nothing is written then, but that
 * `password` comes after what it belongs to: the same request again hands the password over again.
 */
export interface ProvisioningHooks {
  /**
   * The account that was there before and is meant by a new user of the provider's.
   * @defaultValue No account is ever adopted. An e-mail address or a userName proves nothing.
   */
  readonly link?: (candidate: LinkCandidate) => Promise<UserId | undefined>
  /**
   * Whether a provider may change an account, or its password, or end it, or be linked to it; false answers 403.
   * @defaultValue It may. The accounts are its own.
   */
  readonly mayChange?: (change: ProposedChange) => Promise<boolean>
  /**
   * Receives a password that a provider set, to hash and to keep.
   * @defaultValue Passwords are dropped. People of a provider sign in there.
   */
  readonly password?: (given: { readonly userId: UserId; readonly password: string }) => Promise<void>
}

/** A user that a provider creates, and that no account belongs to yet. */
export interface LinkCandidate {
  readonly providerId: ProviderId
  readonly externalId: string | undefined
  /** The SCIM resource, without its password. */
  readonly resource: JsonObject
}

/** What a provider is about to do to an account. */
export interface ProposedChange {
  readonly providerId: ProviderId
  readonly userId: UserId
  readonly kind: 'update' | 'deactivate' | 'reactivate' | 'remove'
}
