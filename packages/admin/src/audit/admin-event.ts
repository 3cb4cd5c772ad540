import { type EventStamp, type Logger, logEvent } from '@mintmark/internal'
import type { EpochSeconds, JsonObject } from '@mintmark/storage-interface'

import type { AdminRefusalReason } from '../error/refusals.ts'

/**
 * An action of an administrator that was performed or refused. An event contains no secret. About a user it contains
 * only the identifier and the names of the claims.
 */
export type AdminEvent = AdminOccurrence & EventStamp<EpochSeconds>

/**
 * Who performs an action: a user or a client with an access token of this issuer, or somebody whom the host identifies,
 * such as an operator at a command line. Events and the audit log contain the identifier.
 */
export interface Actor {
  /** `person` is a user. The audit log stores these values, so they cannot be renamed. */
  readonly kind: 'person' | 'client' | 'host'
  readonly id: string
}

/** An event before it has a time and an identifier. */
export type AdminOccurrence = ActionDone | ActionRefused | AdminRequestRefused

/** The actions of administration. The audit log stores these names. */
export type AdminAction =
  /** A client was registered. */
  | 'client.created'
  /** The metadata of a client was changed. */
  | 'client.updated'
  /** A client was disabled. Its requests and tokens are refused. */
  | 'client.disabled'
  /** A disabled client was enabled. */
  | 'client.enabled'
  /** A client was removed. */
  | 'client.removed'
  /** A client was given another secret. */
  | 'client.secret_added'
  /** All secrets of a client except the newest were revoked. */
  | 'client.previous_secrets_ended'
  /** The grants that users gave a client were revoked. */
  | 'client.grants_revoked'
  /** An identity provider was registered. */
  | 'provider.registered'
  /** The settings of an identity provider were changed. */
  | 'provider.updated'
  /** An identity provider was disabled. Its requests are refused; its users are not changed. */
  | 'provider.disabled'
  /** A disabled identity provider was enabled. */
  | 'provider.enabled'
  /** An identity provider was removed. Its users are kept. */
  | 'provider.removed'
  /** Users of a disabled or removed identity provider were deactivated. There is also one event for each user. */
  | 'provider.users_deactivated'
  /** An identity provider was given another secret. */
  | 'provider.secret_added'
  /** All secrets of an identity provider except the newest were revoked. */
  | 'provider.previous_secrets_ended'
  /** An identity provider that was suspended may deprovision users again. */
  | 'provider.deprovisioning_released'
  /** A set-up link for the IT of a customer was created. An earlier one of the same provider no longer works. */
  | 'provider.setup_link_created'
  /** A set-up link was opened in a browser. */
  | 'provider.setup_link_used'
  /** A set-up link was revoked. */
  | 'provider.setup_link_revoked'
  /** A user was created. */
  | 'user.created'
  /** The claims or the custom fields of a user were changed. */
  | 'user.updated'
  /** A batch of users was written from the host's own table. */
  | 'user.upserted'
  /** A user was deactivated, and everything issued to the user was revoked. */
  | 'user.deactivated'
  /** A user was reactivated. Credentials from before the deactivation stay revoked. */
  | 'user.reactivated'
  /** Everything issued to a user was revoked. The user stays active. */
  | 'user.access_revoked'
  /** A user was removed. */
  | 'user.removed'
  /** All grants of a user were revoked. */
  | 'user.grants_revoked'
  /** A user was signed out in every browser. */
  | 'user.sessions_revoked'
  /** An organization was created. */
  | 'organization.created'
  /** The name of an organization was changed. */
  | 'organization.updated'
  /** An organization was removed. Its members are kept. */
  | 'organization.removed'
  /** A user was made a member of an organization, or a member was given other roles. */
  | 'organization.member_written'
  /** A user was removed from an organization. */
  | 'organization.member_removed'
  /** The grant that a user gave to one client was revoked. */
  | 'grant.revoked'
  /** A user was signed out in one browser. */
  | 'session.revoked'
  /** A message that had been abandoned will be sent again. */
  | 'delivery.requeued'
  /** A webhook was created. */
  | 'webhook.created'
  /** The settings of a webhook were changed. */
  | 'webhook.updated'
  /** A webhook was disabled. Its messages wait until it is enabled. */
  | 'webhook.disabled'
  /** A disabled webhook was enabled. */
  | 'webhook.enabled'
  /** A webhook was removed. */
  | 'webhook.removed'
  /** A webhook was given another secret. */
  | 'webhook.secret_added'
  /** All secrets of a webhook except the newest were revoked. */
  | 'webhook.previous_secrets_ended'
  /** The changes after a position will be sent to a webhook again. */
  | 'webhook.replayed'
  /** A partner was created, which gets nothing until it is enabled. */
  | 'provisioning_target.created'
  /** The settings of a partner were changed. */
  | 'provisioning_target.updated'
  /** The credential for a partner was replaced. */
  | 'provisioning_target.credential_replaced'
  /** A partner was enabled. It gets users and groups from now on. */
  | 'provisioning_target.enabled'
  /** A partner was disabled. Changes wait until it is enabled. */
  | 'provisioning_target.disabled'
  /** Messages about all users and groups of a partner were enqueued. */
  | 'provisioning_target.synchronized'
  /** A partner was removed. What it has stays there. */
  | 'provisioning_target.removed'
  /** An initial access token was created. Whoever has it may register clients. */
  | 'initial_access_token.created'
  /** An initial access token was revoked. */
  | 'initial_access_token.revoked'

/** The record that an action is about. The audit log stores it. */
export interface AuditTarget {
  readonly kind:
    | 'client'
    | 'provider'
    | 'user'
    | 'organization'
    | 'membership'
    | 'grant'
    | 'session'
    | 'delivery'
    | 'webhook'
    | 'provisioning_target'
    | 'initial_access_token'
  /** For a membership: the identifiers of the organization and the user, separated by a slash. */
  readonly id: string
}

/** An action that was performed, with the record before and after it. */
interface ActionDone {
  readonly type: AdminAction
  readonly actor: Actor
  readonly target: AuditTarget
  readonly before: JsonObject | undefined
  readonly after: JsonObject | undefined
  /**
   * Which of the two log entries were written: `whole` for both, `intent` for only the first, `outcome` for only the
   * second, `nothing` for none.
   */
  readonly logged: 'whole' | 'intent' | 'outcome' | 'nothing'
}

/** An action was refused or failed. */
interface ActionRefused {
  readonly type: 'action.refused'
  readonly action: AdminAction
  readonly actor: Actor
  readonly target: AuditTarget
  readonly reason: AdminRefusalReason
  /** The error that caused a response with status 500 or 503. */
  readonly cause: unknown
}

/** A request was refused. If the action had already begun, there is also an `action.refused` event. */
interface AdminRequestRefused {
  readonly type: 'request.refused'
  readonly method: string
  /** The path without the query, which may contain data about users. */
  readonly path: string
  readonly status: number
  readonly reason: AdminRefusalReason
  /** Undefined when the caller was not authenticated. */
  readonly actor: Actor | undefined
  readonly cause: unknown
}

/**
 * Creates a listener that writes one log entry for each event: a line that says who did what, and the event as
 * structured fields. With `console` as the logger it writes only the line.
 */
export const logAdminEvents =
  (logger: Logger) =>
  (event: AdminEvent): void => {
    switch (event.type) {
      case 'action.refused':
        return logEvent(logger, {
          level: event.cause === undefined ? 'warn' : 'error',
          line: `${event.action} of ${event.target.id} refused: ${event.reason}`,
          event,
        })
      case 'request.refused':
        return logEvent(logger, {
          level: event.status >= 500 ? 'error' : 'warn',
          line: `${event.method} ${event.path} refused: ${event.status} (${event.reason})`,
          event,
        })
      default:
        return logEvent(logger, {
          level: event.logged === 'whole' ? 'info' : 'error',
          line: `${event.type}: ${event.target.id} by ${event.actor.kind} ${event.actor.id}`,
          event,
        })
    }
  }

/**
 * Creates the default listener. It reports internal failures and actions with missing log entries, which would
 * otherwise leave no trace.
 */
export const reportAdminFaults =
  (console: Pick<Console, 'error'>) =>
  (event: AdminEvent): void => {
    if (event.type === 'action.refused' || event.type === 'request.refused') {
      if (event.cause !== undefined) console.error(`Mintmark admin: ${event.reason}`, event.cause)
    } else if (event.logged !== 'whole') {
      console.error(
        `Mintmark admin: the audit log has not recorded all of ${event.type} of ${event.target.id} by ${event.actor.kind} ${event.actor.id}`,
      )
    }
  }
