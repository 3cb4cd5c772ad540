import type { EventStamp } from '@mintmark/core/http'
import type { EpochSeconds, JsonObject } from '@mintmark/storage-interface'

import type { AdminRefusalReason } from '../error/refusals.ts'
import type { Actor } from './actor.ts'

/**
 * What an administrator did, or was refused: one event for each. No event holds a secret, or anything about a person
 * but the
 * account's identifier and the names of its claims.
 */
export type AdminEvent = AdminOccurrence & EventStamp<EpochSeconds>

/** An event before it is dated. */
export type AdminOccurrence = ActDone | ActRefused | AdminRequestRefused

/** What can be done. */
export type ActName =
  | `client.${'created' | 'updated' | 'disabled' | 'enabled' | 'removed' | 'secret_added' | 'previous_secrets_ended' | 'grants_revoked'}`
  | `provider.${'registered' | 'updated' | 'disabled' | 'enabled' | 'removed' | 'secret_added' | 'previous_secrets_ended' | 'offboarding_released'}`
  | `account.${'created' | 'updated' | 'deactivated' | 'reactivated' | 'removed' | 'grants_revoked' | 'sessions_revoked'}`
  | `organization.${'created' | 'updated' | 'removed' | 'member_written' | 'member_removed'}`
  | `${'grant' | 'session'}.revoked`

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
