import type { EventStamp } from '@mintmark/core/http'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { ScimRefusalReason } from '../error/refusals.ts'
import type { AppliedTolerance } from '../tolerance/tolerances.ts'

/**
 * Something that an identity provider did, or a refused request. Events contain no secrets, no filters, and nothing about a user
 * except the id.
 */
export type ScimEvent = ScimOccurrence & EventStamp<EpochSeconds>

/** An event without its time and ids. */
export type ScimOccurrence =
  | ScimRequestRefused
  | {
      readonly type:
        /** The provider created a user. */
        | 'user.created'
        /** A new user of the provider was linked to an existing user. */
        | 'user.linked'
        /** The provider changed a user. */
        | 'user.changed'
        /** The provider reactivated a user. Everything issued before stays revoked. */
        | 'user.reactivated'
      readonly providerId: string
      readonly userId: string
    }
  | UserDeprovisioned
  | {
      /**
       * The provider exceeded its deprovisioning limit. It cannot deactivate or remove users until an administrator releases it.
       */
      readonly type: 'deprovisioning.suspended'
      readonly providerId: string
      /** The number of users it deprovisioned in the window. */
      readonly count: number
    }
  | {
      readonly type:
        /** The provider created a group. */
        | 'group.created'
        /** The provider changed the name or the members of a group. */
        | 'group.changed'
        /** The provider removed a group. Its members are unchanged. */
        | 'group.removed'
      readonly providerId: string
      readonly groupId: string
    }
  | {
      /** Deviations from the RFCs that a request needed, by name. */
      readonly type: 'tolerance.applied'
      readonly providerId: string
      readonly applied: readonly AppliedTolerance[]
    }

/** A user was deprovisioned, and everything listed here is revoked. */
interface UserDeprovisioned {
  readonly type:
    /** The provider deactivated a user, and may reactivate it. */
    | 'user.deactivated'
    /** The provider removed a user. */
    | 'user.removed'
    /** The provider removed a linked user: it is deactivated and no longer linked. */
    | 'user.released'
  readonly providerId: string
  readonly userId: string
  /** What was revoked; undefined when it could not be listed. It is revoked all the same. */
  readonly revoked: RevokedAccess | undefined
}

/** The grants and sessions of a user that a deprovisioning revoked. */
export interface RevokedAccess {
  readonly grants: readonly { readonly grantId: string; readonly clientId: string }[]
  readonly sessionIds: readonly string[]
}

/** A refused request, with the reason, which is not sent to the identity provider. */
interface ScimRequestRefused {
  readonly type: 'request.refused'
  readonly method: string
  readonly path: string
  readonly status: number
  readonly reason: ScimRefusalReason
  /** The attribute that the refusal is about, spelled as in the schema. */
  readonly attribute: string | undefined
  /** The error behind 500 and 503. */
  readonly cause: unknown
}
