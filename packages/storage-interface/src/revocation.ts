import {
  type ClientId,
  type FamilyId,
  type GrantId,
  type KeyId,
  type SessionId,
  type UserId,
  seconds,
  type DurationSeconds,
  type EpochSeconds,
} from './values.ts'

/** Something that was revoked and that tokens depend on. `client_in_use` withdraws the revocation of a client; all others are final. */
export type Revocation =
  /** One access token, by its `jti`. */
  | { readonly kind: 'token'; readonly tokenId: string }
  | { readonly kind: 'family'; readonly familyId: FamilyId }
  | { readonly kind: 'grant'; readonly grantId: GrantId }
  /** A session, and the tokens that are bound to it. */
  | { readonly kind: 'session'; readonly sessionId: SessionId }
  /** A generation of a user: what was issued in it is revoked, what is issued in a later one is not. */
  | { readonly kind: 'generation'; readonly userId: UserId; readonly generation: number }
  /** A user who was removed. */
  | { readonly kind: 'account'; readonly userId: UserId }
  /** A signing key that was dropped: its signatures are rejected. */
  | { readonly kind: 'key'; readonly keyId: KeyId }
  | { readonly kind: 'client'; readonly clientId: ClientId }
  | { readonly kind: 'client_in_use'; readonly clientId: ClientId }

/** A revocation as it was written. */
export interface RevocationRecord {
  /** Later revocations have greater positions, from 1; there may be gaps. */
  readonly position: number
  readonly revocation: Revocation
  /** When it was revoked, by the clock of the server that did; for `client_in_use`, when the client was disabled. */
  readonly revokedAt: EpochSeconds
}

export interface RevocationList {
  /** In the order of their positions. */
  readonly records: readonly RevocationRecord[]
  /** The list may miss earlier revocations: the store did not record them then, or did not exist. */
  readonly completeSince: EpochSeconds
}

/**
 * How long a store keeps a revocation, in seconds: eight days. Logout tokens follow from revocations, and a week without a worker
 * must not lose any; a token that the revocation feed covers expires earlier.
 */
export const revocationRetention: DurationSeconds = seconds(691_200)

/**
 * Revocations in the order in which they happened, for the servers that receive tokens.
 *
 * Law: the methods of the other stores that revoke something write the revocation in the same atomic step: `families.revoke`, `insertTombstone`,
 * and `rotate` with `reused`; `grants.revoke`; `sessions.revoke` and `revokeOfUser`; `users.deactivate` and `remove`; of `provisionedUsers` all that advance the
 * generation, and `remove`; `signingKeys.drop`; `clients.remove`, and `clients.compareAndSwap` where it sets or clears `disabledAt`. What changes
 * nothing writes none.
 */
export interface RevocationStore {
  /**
   * Revokes one access token (RFC 7009 §2.1). A second call changes nothing.
   * @param token `tokenId` is the `jti` that the server drew: at most 255 ASCII characters.
   */
  revokeToken(token: {
    readonly tokenId: string
    readonly expiresAt: EpochSeconds
    readonly now: EpochSeconds
  }): Promise<void>

  /** Whether the token was revoked by itself and has not expired. */
  isTokenRevoked(tokenId: string, now: EpochSeconds): Promise<boolean>

  /**
   * The first `limit` revocations from a position on, `undefined` for the first, of `revokedSince` or later.
   * Law: once a record was listed, nothing is written before it: a reader that continues after the last one misses none. A database
   * whose transactions become visible in another order than their numbers writes one revocation at a time:
   * `UPDATE ending_positions SET last_position = last_position + 1 WHERE issuer = ?`, and its row stays locked until the end.
   */
  list(page: {
    readonly from: number | undefined
    readonly revokedSince: EpochSeconds
    readonly limit: number
  }): Promise<RevocationList>
}
