import {
  clientId,
  grantId,
  userId,
  type ClientId,
  type GrantId,
  type JsonObject,
  type UserId,
  type EpochSeconds,
} from './values.ts'
import type { RevokeOutcome, SwapOutcome } from './outcome.ts'
import {
  defineRecord,
  id,
  integer,
  json,
  key,
  list,
  optional,
  text,
  time,
  type RecordOf,
} from './records/define-record.ts'

/** Grants. */
export const grants = defineRecord('grants', {
  grantId: key(id(grantId)),
  clientId: id(clientId),
  userId: id(userId),
  /** The user's `generation` when the grant was made. The grant is not active when the user has a later generation. */
  userGeneration: integer,
  /** Scope values that the user has consented to. */
  scopes: list(text),
  /** The APIs that the user has consented to (RFC 8707). */
  resources: list(text),
  /** The authorization details that the user consented to, without types that need consent each time (RFC 9396). */
  authorizationDetails: list(json),
  /** The client's `documentDigest` when the user consented to it; `undefined` for a client without one. */
  clientDigest: optional(text),
  createdAt: time,
  revokedAt: optional(time),
  version: integer,
})

/**
 * What a user allowed a client to do: the remembered consent, and the root of everything that is issued under it. A user and a client
 * have at most one unrevoked grant. Revoking it revokes the consent and the tokens together.
 */
export interface GrantRecord extends RecordOf<typeof grants> {}

/** `taken` returns the unrevoked grant of the same user and client. */
export type GrantInsertOutcome =
  { readonly outcome: 'inserted' } | { readonly outcome: 'taken'; readonly record: GrantRecord }

/** Grants, by user and client. */
export interface GrantStore {
  /**
   * Law: a user and a client have at most one unrevoked grant. SQL stores enforce it with a unique index over (issuer, user,
   * client) where `revoked_at IS NULL`. The store throws if a revoked grant has the same identifier: identifiers are random and
   * never reused.
   */
  insert(grant: GrantRecord): Promise<GrantInsertOutcome>

  /** Finds the unrevoked grant of this user and client, of any generation. */
  findUnrevoked(userId: UserId, clientId: ClientId): Promise<GrantRecord | undefined>

  /**
   * Replaces the scopes, the resources, the authorization details and the digest of the client. Law: the outcome is `absent` for
   * a revoked grant, and `conflict` for one of two concurrent writers.
   */
  replaceConsent(change: {
    readonly grantId: GrantId
    readonly scopes: readonly string[]
    readonly resources: readonly string[]
    readonly authorizationDetails: readonly JsonObject[]
    readonly clientDigest: string | undefined
    readonly version: number
  }): Promise<SwapOutcome<GrantRecord>>

  /** Law: a second revocation does not change `revokedAt`. In SQL: `UPDATE grants SET revoked_at = ? WHERE … AND revoked_at IS NULL` */
  revoke(grantId: GrantId, now: EpochSeconds): Promise<RevokeOutcome>

  /** Returns the user's unrevoked grants, newest first, for a "connected apps" page. */
  listByUser(userId: UserId): Promise<readonly GrantRecord[]>
}
