import { providerId, userId, type UserId, type JsonObject, type EpochSeconds } from './values.ts'
import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import type { ListOutcome, ListQuery } from './resource-list.ts'
import { defineRecord, flag, id, integer, json, key, optional, time, type RecordOf } from './records/define-record.ts'

/** Users. */
export const users = defineRecord(
  'users',
  {
    userId: key(id(userId)),
    /** Whether the user may sign in. Always false while the user is blocked. */
    active: flag,
    /** The identity provider (IdP) that provisions the user; `undefined` for a user of the host. */
    providerId: optional(id(providerId)),
    /** Since when the host blocks the user. Only the host sets and clears it; no identity provider can make a blocked user active. */
    blockedAt: optional(time),
    /** What `active` becomes when the block is lifted; `undefined` while the user is not blocked. */
    activeAfterBlock: optional(flag),
    /** Advances by one when the user is deactivated, removed or released by their identity provider, and at no other time. Starts at 0. */
    generation: integer,
    /** What is known of the user, by OIDC claim name (OIDC Core §5.1). */
    claims: json,
    createdAt: time,
    updatedAt: time,
    /** Advances by one with each write to the row. Starts at 1. */
    version: integer,
  },
  { storedOnly: { removedAt: optional(time) }, tombstone: { active: false, activeAfterBlock: undefined, claims: {} } },
)

/**
 * A user. The row is the kill switch: `active` and `generation` decide whether anything that was issued to the user is honoured.
 * Every grant and session stores the generation in which it was created, and is dead in a later one. A counter, not a time: two
 * events in one second stay in order.
 */
export interface UserRecord extends RecordOf<typeof users> {}

/** A new user; the store adds `active: true`, generation 0 and version 1. */
export interface NewUser {
  /** Not the identifier of a client: `sub` would be ambiguous (RFC 9068 §5). */
  readonly userId: UserId
  readonly claims: JsonObject
  readonly createdAt: EpochSeconds
}

/** `changed` for the caller who changed it, `unchanged` when it was so before; both with the row as it is now. */
export type LifecycleOutcome =
  | { readonly outcome: 'changed'; readonly record: UserRecord }
  | { readonly outcome: 'unchanged'; readonly record: UserRecord }
  | { readonly outcome: 'absent' }

/** Users, by `sub`. */
export interface UserStore {
  /**
   * Law: an identifier is used once, ever: also the identifier of a removed user is `taken`, so that no token of
   * one user names another (OIDC Core §2).
   */
  insert(user: NewUser): Promise<InsertOutcome>

  /** Finds a deactivated user, and no removed one. */
  find(userId: UserId): Promise<UserRecord | undefined>

  /**
   * Replaces the claims. Law: it never changes `active` or `generation`, and of two writers one gets `conflict`.
   * `UPDATE users SET claims = ?, updated_at = ?, version = version + 1 WHERE issuer = ? AND user_id = ? AND version = ?`
   */
  replaceClaims(change: {
    readonly userId: UserId
    readonly claims: JsonObject
    readonly version: number
    readonly now: EpochSeconds
  }): Promise<SwapOutcome<UserRecord>>

  /**
   * Blocks the user. Law: from the moment this answers, nothing that was issued to the user before is honoured, and no method of
   * `ProvisionedUserStore` makes the user active. `activeAfterBlock` becomes the value of `active`.
   * `UPDATE users SET active = false, generation = generation + 1, … WHERE issuer = ? AND user_id = ? AND blocked_at IS NULL`;
   * the generation of a user who was inactive before stays. Law: a removed user of a provider is `absent`, and the block is kept for
   * one who gets the `externalId` or the `userName` later, because the removal may have been concurrent.
   */
  deactivate(userId: UserId, now: EpochSeconds): Promise<LifecycleOutcome>

  /**
   * Lifts a block: `active` becomes `activeAfterBlock`, which is false when the identity provider has deactivated the user as well. A
   * user who is inactive and not blocked becomes active. Law: nothing that was issued before a deactivation is honoured again.
   */
  reactivate(userId: UserId, now: EpochSeconds): Promise<LifecycleOutcome>

  /**
   * Erases the claims and keeps the identifier and the advanced generation as a tombstone.
   * `UPDATE users SET active = false, generation = generation + 1, claims = '{}', removed_at = ? WHERE … AND removed_at IS NULL`
   */
  remove(userId: UserId, now: EpochSeconds): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
}

/** A user as the host has it. */
export interface HostUser {
  readonly userId: UserId
  readonly claims: JsonObject
  /** Whether a new user may sign in. `false`: the user is blocked from the start. It does not change a user who exists. */
  readonly active: boolean
}

/**
 * What became of a user of the host. `active` is that of the row.
 * - `provisioned`: an identity provider owns the user, and with it the claims.
 * - `removed`: the identifier belonged to a user who was removed, and stays taken.
 * - `client`: the identifier is, or was, that of a client: `sub` would be ambiguous (RFC 9068 §5).
 */
export type UpsertOutcome =
  | { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly active: boolean }
  | { readonly outcome: 'provisioned' | 'removed' | 'client' }

/** Users of the host to write. No identifier occurs twice. */
export interface UpsertRequest {
  readonly users: readonly HostUser[]
  readonly now: EpochSeconds
}

/** Users that an administrator can list, search, and take over from the host's own table. */
export interface SearchableUserStore extends UserStore {
  /**
   * Creates the users that do not exist, and replaces the claims of the others that are users of the host. Claims are equal when their
   * JSON texts are: such a user is `unchanged`, and keeps `version`. Law: it never changes `active` or `generation` of a user who
   * exists, and writes nothing for `provisioned`, `removed` and `client`. It may be interrupted between two users: call it again.
   * `INSERT … SELECT … ON CONFLICT (issuer, user_id) DO UPDATE SET claims = excluded.claims, … WHERE removed_at IS NULL AND provider_id IS NULL AND claims <> excluded.claims`
   * @returns an outcome for each user, in the order of the request.
   */
  upsert(request: UpsertRequest): Promise<readonly UpsertOutcome[]>

  /** What `upsert` would answer now. It writes nothing. */
  compare(users: readonly HostUser[]): Promise<readonly UpsertOutcome[]>

  /**
   * All users of the issuer, with and without an identity provider. The filter is about `id`, `active`, `provider`, `created` and
   * `updated` (milliseconds) and `claims` (with the claim as `subName`). Texts are compared case-sensitively.
   */
  list(query: Omit<ListQuery, 'providerId'>): Promise<ListOutcome<UserRecord>>
}
