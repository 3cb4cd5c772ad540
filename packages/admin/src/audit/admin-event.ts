import type { EventStamp } from '@mintmark/core/http'
import type { EpochSeconds, JsonObject } from '@mintmark/storage-interface'

import type { AdminRefusalReason } from '../error/refusals.ts'
import type { Actor } from './actor.ts'

/**
 * What an administrator did, or was refused: one event for each. No event holds a secret, or anything about a person
 * but the account's identifier and the names of its claims.
 */
export type AdminEvent = AdminOccurrence & EventStamp<EpochSeconds>

/** An event before it is dated. */
export type AdminOccurrence = ActDone | ActRefused | AdminRequestRefused

/** What can be done. */
export type ActName =
  /** A client was registered. */
  | 'client.created'
  /** What is known of a client was changed. */
  | 'client.updated'
  /** A client is refused from now on, and its tokens are dead. */
  | 'client.disabled'
  /** A client is admitted again. */
  | 'client.enabled'
  /** A client is gone. */
  | 'client.removed'
  /** A client has one more secret. */
  | 'client.secret_added'
  /** The newest secret of a client is the only one. */
  | 'client.previous_secrets_ended'
  /** All that people gave a client was taken back. */
  | 'client.grants_revoked'
  /** An identity provider was registered. */
  | 'provider.registered'
  /** What is known of an identity provider was changed. */
  | 'provider.updated'
  /** An identity provider is refused from now on; its accounts stay as they are. */
  | 'provider.disabled'
  /** An identity provider is admitted again. */
  | 'provider.enabled'
  /** An identity provider is gone; its accounts stay. */
  | 'provider.removed'
  /** An identity provider has one more secret. */
  | 'provider.secret_added'
  /** The newest secret of an identity provider is the only one. */
  | 'provider.previous_secrets_ended'
  /** An identity provider that was held may end accounts again. */
  | 'provider.offboarding_released'
  /** An account was made. */
  | 'account.created'
  /** The claims or the fields of an account were changed. */
  | 'account.updated'
  /** An account is shut out, and all that it was issued is dead. */
  | 'account.deactivated'
  /** An account is let in again. What was issued before stays dead. */
  | 'account.reactivated'
  /** An account is gone. */
  | 'account.removed'
  /** All that a person gave to clients was taken back. */
  | 'account.grants_revoked'
  /** A person was signed out everywhere. */
  | 'account.sessions_revoked'
  /** An organization was made. */
  | 'organization.created'
  /** The name of an organization was changed. */
  | 'organization.updated'
  /** An organization is gone; its members are as they were. */
  | 'organization.removed'
  /** An account is a member of an organization, with these roles. */
  | 'organization.member_written'
  /** An account is no member of an organization any more. */
  | 'organization.member_removed'
  /** What a person gave to one client was taken back. */
  | 'grant.revoked'
  /** A person was signed out in one browser. */
  | 'session.revoked'

/** What an act is about. */
export interface Target {
  readonly kind: 'client' | 'provider' | 'account' | 'organization' | 'membership' | 'grant' | 'session'
  /** Of a membership: the organization's and the account's, with a slash between them. */
  readonly id: string
}

/** An act, with what was before it and what is after it. */
export interface ActDone {
  readonly type: ActName
  readonly actor: Actor
  readonly target: Target
  readonly before: JsonObject | undefined
  readonly after: JsonObject | undefined
  /** What of it stands in the log: `intent`, or `nothing`, when the log was down. */
  readonly logged: 'whole' | 'intent' | 'nothing'
}

/** An act that was refused, or failed. */
export interface ActRefused {
  readonly type: 'act.refused'
  readonly act: ActName
  readonly actor: Actor
  readonly target: Target
  readonly reason: AdminRefusalReason
  /** The failure behind 500 and 503. */
  readonly cause: unknown
}

/** A request that was refused, before or with the act that it asked for. */
export interface AdminRequestRefused {
  readonly type: 'request.refused'
  readonly method: string
  /** Without its query, which may name people. */
  readonly path: string
  readonly status: number
  readonly reason: AdminRefusalReason
  /** Undefined when nobody has proved who they are. */
  readonly actor: Actor | undefined
  readonly cause: unknown
}
