import type { EventStamp } from '@mintmark/core/http'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { ScimRefusalReason } from '../error/refusals.ts'
import type { AppliedTolerance } from '../tolerance/tolerances.ts'

/**
 * What an identity provider did, or was refused: one event for each. No event holds a secret, a filter, or anything about a
 * person but the account's identifier.
 */
export type ScimEvent = ScimOccurrence & EventStamp<EpochSeconds>

/** An event before it is dated. */
export type ScimOccurrence =
  | ScimRequestRefused
  | {
      readonly type:
        /** A new account for a new user of the provider's. */
        | 'user.created'
        /** A user of the provider's is an account that was there before. */
        | 'user.linked'
        /** The provider changed what is known of a person. */
        | 'user.changed'
        /** The provider let a person in again. What was issued before stays dead. */
        | 'user.reactivated'
      readonly providerId: string
      readonly userId: string
    }
  | UserDeprovisioned
  | {
      /** The provider may end no more accounts until an administrator lets it. */
      readonly type: 'deprovisioning.suspended'
      readonly providerId: string
      /** How many it had ended in the window. */
      readonly count: number
    }
  | {
      readonly type:
        /** A new group of the provider's. */
        | 'group.created'
        /** Its name, or who belongs to it. */
        | 'group.changed'
        /** It is gone; its members are as they were. */
        | 'group.removed'
      readonly providerId: string
      readonly groupId: string
    }
  | {
      /** Departures from the RFCs that a request needed, by name. */
      readonly type: 'tolerance.applied'
      readonly providerId: string
      readonly applied: readonly AppliedTolerance[]
    }

/** The receipt of an offboarding: from this moment nothing of this is honoured. */
export interface UserDeprovisioned {
  readonly type:
    /** The provider shut a person out; it may let them in again. */
    | 'user.deactivated'
    /** The provider deleted a person. */
    | 'user.removed'
    /** An account that was there before the provider is inactive, and not the provider's any more. */
    | 'user.released'
  readonly providerId: string
  readonly userId: string
  /** What died; undefined when it could not be listed. It is dead all the same. */
  readonly revoked: RevokedAccess | undefined
}

/** What a person could use up to now. */
export interface RevokedAccess {
  readonly grants: readonly { readonly grantId: string; readonly clientId: string }[]
  readonly sessionIds: readonly string[]
}

/** A refusal, with the reason that the identity provider is not told. */
export interface ScimRequestRefused {
  readonly type: 'request.refused'
  readonly method: string
  readonly path: string
  readonly status: number
  readonly reason: ScimRefusalReason
  /** The attribute that it was about, as our schema spells it. */
  readonly attribute: string | undefined
  /** The failure behind 500 and 503. */
  readonly cause: unknown
}
