import { clientId, grantId, userId, type ClientId, type GrantId, type UserId, type EpochSeconds } from './values.ts'
import type { RevokeOutcome, SwapOutcome } from './outcome.ts'
import { defineRecord, id, integer, key, list, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Grants. */
export const grants = defineRecord('grants', {
  grantId: key(id(grantId)),
  clientId: id(clientId),
  userId: id(userId),
  /** The user's `generation` when the grant was made. The grant is dead when the user has a later one. */
  userGeneration: integer,
  /** Scope values that the user has consented to. */
  scopes: list(text),
  /** The APIs that the user has consented to (RFC 8707). */
  resources: list(text),
  createdAt: time,
  revokedAt: optional(time),
  version: integer,
})

/**
 * What a user allowed a client: the remembered consent, and the root of everything that is issued under it. A user and a client
 * have at most one unrevoked grant. Revoking it revokes the consent and the tokens together.
 */
export interface GrantRecord extends RecordOf<typeof grants> {}

/** `taken` carries the unrevoked grant of the same user and client. */
export type GrantInsertOutcome =
  { readonly outcome: 'inserted' } | { readonly outcome: 'taken'; readonly record: GrantRecord }

/** Grants, by user and client. */
export interface GrantStore {
  /**
   * Law: a user and a client have at most one unrevoked grant. A unique index over (issuer, user, client) where
   * `revoked_at IS NULL`. Identifiers are random: the identifier of a revoked grant is never used again, and the store throws
   * when it is.
   */
  insert(grant: GrantRecord): Promise<GrantInsertOutcome>

  /** The unrevoked grant of the two, of any generation. */
  findUnrevoked(userId: UserId, clientId: ClientId): Promise<GrantRecord | undefined>

  /** Widens or narrows the scopes and the resources. Law: a revoked grant answers `absent`; of two writers one gets `conflict`. */
  replaceConsent(change: {
    readonly grantId: GrantId
    readonly scopes: readonly string[]
    readonly resources: readonly string[]
    readonly version: number
  }): Promise<SwapOutcome<GrantRecord>>

  /** Law: the first revocation's time stays. `UPDATE grants SET revoked_at = ? WHERE … AND revoked_at IS NULL` */
  revoke(grantId: GrantId, now: EpochSeconds): Promise<RevokeOutcome>

  /** The user's unrevoked grants, newest first: the "connected apps" page. */
  listByUser(userId: UserId): Promise<readonly GrantRecord[]>
}
