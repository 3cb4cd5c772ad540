import type { EventStamp, Header, RequestHead, ServerResponse } from '@mintmark/internal'
import type { Journal } from '@mintmark/internal'
import type { EpochSeconds, ScimStorage, UserRecord } from '@mintmark/storage-interface'

import type { ScimRefusalReason } from '../error/refusals.ts'
import type { ScimError } from '../error/scim-error.ts'
import type { ScimCaller } from '../providers/authenticate-provider.ts'
import type { AppliedTolerance } from '../tolerance/tolerances.ts'

/**
 * Something that an identity provider did, or a refused request. Events contain no secrets, no filters, and nothing
 * about a user except the id.
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
        /** The provider reactivated a user. Everything issued before the deactivation stays revoked. */
        | 'user.reactivated'
      readonly providerId: string
      readonly userId: string
    }
  | UserAccessRevoked
  | {
      /**
       * The provider exceeded its deprovisioning limit. It cannot deactivate or remove users until an administrator
       * releases it.
       */
      readonly type: 'deprovisioning.suspended'
      readonly providerId: string
      /** The number of users that the provider deprovisioned in the window. */
      readonly count: number
    }
  | {
      /**
       * The provider gave a user roles that no rule of `withDirectoryRoles` names. They are stored with the user, and give no role in
       * the organization.
       */
      readonly type: 'roles.unmapped'
      readonly providerId: string
      readonly userId: string
      /** The values of the SCIM attribute `roles`. */
      readonly values: readonly string[]
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
      readonly type:
        /** The provider created a resource of a type that the host defines. */
        | 'resource.created'
        /** The provider changed a resource of a type that the host defines. */
        | 'resource.changed'
        /** The provider removed a resource of a type that the host defines. */
        | 'resource.removed'
      readonly providerId: string
      /** The name of the resource type, such as `Device`. */
      readonly resourceType: string
      readonly resourceId: string
    }
  | {
      /**
       * A search read more than half of the records that a search may read. When the provider has more resources, the
       * search will be rejected as `tooMany`.
       */
      readonly type: 'search.near_limit'
      readonly providerId: string
      /** The name of the resource type, such as `User`. */
      readonly resourceType: string
    }
  | {
      /** A request deviated from the RFCs. The event names the tolerances that accepted it. */
      readonly type: 'tolerance.applied'
      readonly providerId: string
      readonly applied: readonly AppliedTolerance[]
    }

/** The access of a user was revoked, mostly because the user was deprovisioned: everything listed here is revoked. */
interface UserAccessRevoked {
  readonly type:
    /** The provider deactivated a user. It may reactivate the user later. */
    | 'user.deactivated'
    /** The provider removed a user. */
    | 'user.removed'
    /** The provider signed a user out everywhere by Universal Logout. The user stays active. */
    | 'user.access_revoked'
    /** The provider removed a user that was linked to it. The user still exists, deactivated and no longer linked. */
    | 'user.released'
  readonly providerId: string
  readonly userId: string
  /** The revoked grants and sessions; undefined when they could not be listed. They are revoked in either case. */
  readonly revoked: RevokedAccess | undefined
}

/** The grants and sessions of a user that a deprovisioning revoked. */
export interface RevokedAccess {
  readonly grants: readonly { readonly grantId: string; readonly clientId: string }[]
  readonly sessionIds: readonly string[]
}

/** A request was refused. The event has the reason, which the identity provider does not see. */
interface ScimRequestRefused {
  readonly type: 'request.refused'
  readonly method: string
  readonly path: string
  readonly status: number
  readonly reason: ScimRefusalReason
  /** The attribute that the refusal is about, spelled as in the schema. */
  readonly attribute: string | undefined
  /** The start of the identifier or attribute name in the request that the refusal is about, such as an unknown member. */
  readonly value?: string
  /** The error that caused a response with status 500 or 503. */
  readonly cause: unknown
}

/** Lists what a deprovisioning revoked, for its event. Reads storage only when the host has a listener. */
export type RevocationLister = (before: UserRecord, now: EpochSeconds) => Promise<RevokedAccess | undefined>

export const createRevocationLister =
  ({ onEvent, storage }: { readonly onEvent?: unknown; readonly storage: ScimStorage }): RevocationLister =>
  async (before, now) =>
    onEvent === undefined ? undefined : revokedAccess(before, now, storage)

/**
 * Lists the grants and sessions that a deprovisioning revoked: all that belong to the generation of the user before it.
 * @param before the user before the deprovisioning.
 * @returns undefined when storage fails, because the deprovisioning is already done.
 */
export async function revokedAccess(
  { userId, generation }: UserRecord,
  now: EpochSeconds,
  storage: Pick<ScimStorage, 'grants' | 'sessions'>,
): Promise<RevokedAccess | undefined> {
  try {
    const [grants, sessions] = await Promise.all([
      storage.grants.listByUser(userId),
      storage.sessions.listByUser(userId, now),
    ])
    return {
      grants: grants
        .filter(({ userGeneration }) => userGeneration === generation)
        .map(({ grantId, clientId }) => ({ grantId, clientId })),
      sessionIds: sessions
        .filter(({ userGeneration }) => userGeneration === generation)
        .map(({ sessionId }) => sessionId),
    }
  } catch {
    // The list is informational; the deprovisioning is already done.
    return undefined
  }
}

/**
 * Records that a request was refused, with the reason, which the response does not contain. The event omits the query,
 * because it may name people. It omits the cause of a refusal that is not an internal error: a JSON parser quotes the
 * text that it could not read, which may be a password.
 * @returns the response header that names the event.
 */
export const recordRefusal =
  (journal: Journal<ScimOccurrence>) =>
  ({ status, reason, attribute, value, cause }: ScimError, request: RequestHead): Header => {
    const { method, url } = request
    const failure = status >= 500 ? cause : undefined
    journal.record(request, {
      type: 'request.refused',
      method,
      path: url.pathname,
      status,
      reason,
      attribute,
      ...(value !== undefined && { value }),
      cause: failure,
    })
    return journal.correlationHeader(request)
  }

/**
 * A request of an identity provider and its result, for the administrators who set up the connection. It contains no
 * query, no body and no secret.
 */
export interface AnsweredRequest {
  readonly at: EpochSeconds
  readonly providerId: string
  /** The client of the access token that the provider authenticated with; undefined when it used its own secret. */
  readonly clientId: string | undefined
  readonly method: string
  readonly path: string
  readonly status: number
  readonly reason: ScimRefusalReason | undefined
  /** The attribute that a refusal is about, spelled as in the schema. */
  readonly attribute: string | undefined
  /** The start of the identifier or attribute name in the request that a refusal is about. */
  readonly value?: string
}

/** A request, its caller and its time. */
interface HandledRequest {
  readonly request: RequestHead
  readonly caller: ScimCaller
  readonly now: EpochSeconds
}

export function answeredRequest(
  { request, caller, now }: HandledRequest,
  { status }: Pick<ServerResponse, 'status'>,
  error?: ScimError,
): AnsweredRequest {
  const { provider, by } = caller
  return {
    at: now,
    providerId: provider.providerId,
    clientId: by.kind === 'client' ? by.clientId : undefined,
    method: request.method,
    path: request.url.pathname.slice(0, 512),
    status,
    reason: error?.reason,
    attribute: error?.attribute,
    ...(error?.value !== undefined && { value: error.value }),
  }
}

/** Returns a function that calls the host's listener. A failure of the listener must not fail the request. */
export function notifyAnswered(
  onRequest: ((answered: AnsweredRequest) => void | Promise<void>) | undefined,
): (answered: AnsweredRequest) => void {
  async function notify(answered: AnsweredRequest): Promise<void> {
    try {
      await onRequest?.(answered)
    } catch {
      // The listener belongs to the host, and there is no other place to report its failure.
    }
  }
  return (answered) => void notify(answered)
}
