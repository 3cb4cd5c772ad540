import { providerId, userId, type UserId, type JsonObject, type EpochSeconds } from './values.ts'
import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import type { ListOutcome, ListQuery } from './resource-list.ts'
import {
  defineRecord,
  erased,
  flag,
  id,
  integer,
  json,
  key,
  optional,
  time,
  type RecordOf,
} from './records/define-record.ts'

/** Users. */
export const users = defineRecord(
  'users',
  {
    userId: key(id(userId)),
    /** Whether the user may sign in. Always false while the user is blocked. */
    active: erased(flag),
    /** The identity provider (IdP) that provisions the user; `undefined` for a user of the host. */
    providerId: optional(id(providerId)),
    /** When the host blocked the user. Only the host blocks and unblocks; no identity provider can make a blocked user active. */
    blockedAt: optional(time),
    /** What `active` becomes when the block is lifted; `undefined` while the user is not blocked. */
    activeAfterBlock: erased(optional(flag)),
    /**
     * Advances by one when the user is deactivated, removed or released by their identity provider, and when all access of the user
     * is revoked; at no other time. Starts at 0.
     */
    generation: integer,
    /** The user's claims, by OIDC claim name (OIDC Core §5.1). */
    claims: erased(json),
    createdAt: time,
    updatedAt: time,
    /** Advances by one with each write to the row. Starts at 1. */
    version: integer,
  },
  { storedOnly: { removedAt: optional(time) } },
)

/**
 * A user. The row is the kill switch: `active` and `generation` decide whether anything that was issued to the user is honoured.
 * Every grant and session stores the generation in which it was created, and is not honoured in a later one. `generation` is a
 * counter and not a time, so that two events within a second stay in order.
 */
export interface UserRecord extends RecordOf<typeof users> {}

/** A new user; the store adds `active: true`, generation 0 and version 1. */
export interface NewUser {
  /** Must not be the identifier of a client: `sub` would be ambiguous (RFC 9068 §5). */
  readonly userId: UserId
  readonly claims: JsonObject
  readonly createdAt: EpochSeconds
}

/** `changed` for the caller who changed the user, `unchanged` if there was nothing to change; both with the row as it is now. */
export type LifecycleOutcome =
  | { readonly outcome: 'changed'; readonly record: UserRecord }
  | { readonly outcome: 'unchanged'; readonly record: UserRecord }
  | { readonly outcome: 'absent' }

/** Users, by `sub`. */
export interface UserStore {
  /**
   * Law: an identifier is never used twice. Even the identifier of a removed user is `taken`, so that no token of one user
   * identifies another (OIDC Core §2).
   */
  insert(user: NewUser): Promise<InsertOutcome>

  /** Finds a user who is deactivated, but not one who was removed. */
  find(userId: UserId): Promise<UserRecord | undefined>

  /**
   * Replaces the claims. Law: it never changes `active` or `generation`, and of two concurrent writers one gets `conflict`.
   * `UPDATE users SET claims = ?, updated_at = ?, version = version + 1 WHERE issuer = ? AND user_id = ? AND version = ?`
   */
  replaceClaims(change: {
    readonly userId: UserId
    readonly claims: JsonObject
    readonly version: number
    readonly now: EpochSeconds
  }): Promise<SwapOutcome<UserRecord>>

  /**
   * Blocks the user. Law: once this has returned, nothing that was issued to the user before is honoured, and no method of
   * `ProvisionedUserStore` makes the user active. `activeAfterBlock` becomes the value of `active`.
   * `UPDATE users SET active = false, generation = generation + 1, … WHERE issuer = ? AND user_id = ? AND blocked_at IS NULL`;
   * the generation of a user who was already inactive stays. Law: a removed user of a provider is `absent`, but the block is kept for
   * the user who gets the `externalId` or the `userName` later, because the removal may have been concurrent.
   */
  deactivate(userId: UserId, now: EpochSeconds): Promise<LifecycleOutcome>

  /**
   * Lifts a block: `active` becomes `activeAfterBlock`, which is false when the identity provider has deactivated the user as well. A
   * user who is inactive and not blocked becomes active. Law: nothing that was issued before a deactivation is honoured again.
   */
  reactivate(userId: UserId, now: EpochSeconds): Promise<LifecycleOutcome>

  /**
   * Revokes everything that was issued to the user, who stays active and can sign in again. Law: once this has returned, nothing that
   * was issued before is honoured, and what is issued afterwards is. `version` stays, so that it does not disturb concurrent changes.
   * `UPDATE users SET generation = generation + 1, updated_at = ? WHERE issuer = ? AND user_id = ? AND removed_at IS NULL`
   */
  revokeAccess(
    userId: UserId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'revoked'; readonly record: UserRecord } | { readonly outcome: 'absent' }>

  /**
   * Erases the claims and keeps the identifier and the advanced generation as a tombstone.
   * `UPDATE users SET active = false, generation = generation + 1, claims = '{}', removed_at = ? WHERE … AND removed_at IS NULL`
   */
  remove(userId: UserId, now: EpochSeconds): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
}

/** A user from the host's own table. */
export interface HostUser {
  readonly userId: UserId
  readonly claims: JsonObject
  /** Whether a new user may sign in. If `false`, the user is blocked from the start. It does not change an existing user. */
  readonly active: boolean
}

/**
 * What `upsert` did with a user of the host. `active` is the value in the row.
 * - `provisioned`: an identity provider owns the user and the claims.
 * - `removed`: the identifier belonged to a user who was removed, and stays taken.
 * - `client`: the identifier belongs, or belonged, to a client: `sub` would be ambiguous (RFC 9068 §5).
 */
export type UpsertOutcome =
  | { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly active: boolean }
  | { readonly outcome: 'provisioned' | 'removed' | 'client' }

/** Users of the host to write. No identifier may occur twice. */
export interface UpsertRequest {
  readonly users: readonly HostUser[]
  readonly now: EpochSeconds
}

/** Users that an administrator can list, search, and take over from the host's own table. */
export interface SearchableUserStore extends UserStore {
  /**
   * Creates the users that do not exist, and replaces the claims of existing users of the host. A user whose claims already have the
   * same JSON text is `unchanged`, and keeps `version`. Law: it never changes `active` or `generation` of an existing user, and
   * writes nothing for `provisioned`, `removed` and `client`. It may be interrupted between two users: then call it again.
   * `INSERT … SELECT … ON CONFLICT (issuer, user_id) DO UPDATE SET claims = excluded.claims, … WHERE removed_at IS NULL AND provider_id IS NULL AND claims <> excluded.claims`
   * @returns an outcome for each user, in the order of the request.
   */
  upsert(request: UpsertRequest): Promise<readonly UpsertOutcome[]>

  /** Returns what `upsert` would return now, and writes nothing. */
  compare(users: readonly HostUser[]): Promise<readonly UpsertOutcome[]>

  /**
   * Lists all users of the issuer, with and without an identity provider. The filter may test `id`, `active`, `provider`, `created`
   * and `updated` (milliseconds) and `claims` (with the claim as `subName`). Strings are compared case-sensitively.
   */
  list(query: Omit<ListQuery, 'providerId'>): Promise<ListOutcome<UserRecord>>
}
