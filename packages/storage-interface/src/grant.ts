import type { ClientId, GrantId, UserId } from './identifiers.ts'
import type { RevokeOutcome, SwapOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/**
 * What a person allowed a client: the remembered consent, and the root of everything issued under it. At most one
 * unrevoked grant joins a person and a client. Revoking it ends consent and tokens together.
 */
export interface GrantRecord {
  readonly grantId: GrantId
  readonly clientId: ClientId
  readonly userId: UserId
  /** The user's `generation` when the grant was made; an older one than the user's is dead. */
  readonly userGeneration: number
  /** Scope values that the person has consented to. */
  readonly scopes: readonly string[]
  readonly createdAt: EpochSeconds
  readonly revokedAt: EpochSeconds | undefined
  readonly version: number
}

/** `taken` carries the unrevoked grant that joins the same person and client. */
export type GrantInsertOutcome =
  { readonly outcome: 'inserted' } | { readonly outcome: 'taken'; readonly record: GrantRecord }

/** Grants, by person and client. */
export interface GrantStore {
  /**
   * Law: at most one unrevoked grant joins a person and a client. A unique index over (issuer, user, client) where
   * `revoked_at IS NULL`. Identifiers are random: one that a revoked grant holds is never offered again, and where it
   * is, the store throws.
   */
  insert(grant: GrantRecord): Promise<GrantInsertOutcome>

  /** The unrevoked grant that joins the two, of whatever generation. */
  findUnrevoked(userId: UserId, clientId: ClientId): Promise<GrantRecord | undefined>

  /** Widens or narrows the scopes. Law: a revoked grant answers `absent`; of two writers one is told `conflict`. */
  replaceScopes(change: {
    readonly grantId: GrantId
    readonly scopes: readonly string[]
    readonly version: number
  }): Promise<SwapOutcome<GrantRecord>>

  /** Law: the first revocation's time stays. `UPDATE grants SET revoked_at = ? WHERE … AND revoked_at IS NULL` */
  revoke(grantId: GrantId, now: EpochSeconds): Promise<RevokeOutcome>

  /** The person's unrevoked grants, newest first: the "connected apps" page. */
  listByUser(userId: UserId): Promise<readonly GrantRecord[]>
}
