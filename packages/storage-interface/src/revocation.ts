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

/** What was revoked: something that tokens depend on. `client_in_use` withdraws the revocation of a client; all others are final. */
export type Revocation =
  /** One access token, by its `jti`. */
  | { readonly kind: 'token'; readonly tokenId: string }
  | { readonly kind: 'family'; readonly familyId: FamilyId }
  | { readonly kind: 'grant'; readonly grantId: GrantId }
  /** A session, and the tokens that are bound to it. */
  | { readonly kind: 'session'; readonly sessionId: SessionId }
  /** A generation of a user. Everything issued in it is revoked; what is issued in a later generation is not. */
  | { readonly kind: 'generation'; readonly userId: UserId; readonly generation: number }
  /** A user who was removed. */
  | { readonly kind: 'account'; readonly userId: UserId }
  /** A signing key that was dropped: its signatures are rejected. */
  | { readonly kind: 'key'; readonly keyId: KeyId }
  | { readonly kind: 'client'; readonly clientId: ClientId }
  | { readonly kind: 'client_in_use'; readonly clientId: ClientId }

/** A stored revocation. */
export interface RevocationRecord {
  /** Later revocations have greater positions, from 1; there may be gaps. */
  readonly position: number
  readonly revocation: Revocation
  /** The time of the revocation, by the clock of the server that revoked; for `client_in_use`, when the client was disabled. */
  readonly revokedAt: EpochSeconds
}

export interface RevocationList {
  /** In the order of their positions. */
  readonly records: readonly RevocationRecord[]
  /** Revocations before this time may be missing: the store did not record them then, or did not exist. */
  readonly completeSince: EpochSeconds
}

/**
 * How long a store keeps a revocation: eight days. Logout tokens are derived from revocations, and none may be lost if no worker
 * runs for a week. A token that the revocation feed covers expires earlier.
 */
export const revocationRetention: DurationSeconds = seconds(691_200)

/**
 * Revocations in the order in which they happened, for the servers that receive tokens.
 *
 * Law: the methods of the other stores that revoke something write the revocation in the same atomic step:
 * - `families.revoke`, `insertTombstone`, and `rotate` with `reused`;
 * - `grants.revoke`;
 * - `sessions.revoke` and `revokeOfUser`;
 * - `users.deactivate` and `remove`;
 * - `provisionedUsers.remove`, and all other methods of `provisionedUsers` that advance the generation;
 * - `organizations.remove`, `removeMember` and `revokeTokens`, for the families that they revoke;
 * - `signingKeys.drop`;
 * - `clients.remove`, and `clients.compareAndSwap` if it sets or clears `disabledAt`;
 * - every method that ends agents (`AgentStore`), for the clients that it disables.
 *
 * A call that changes nothing writes no revocation.
 */
export interface RevocationStore {
  /**
   * Revokes one access token (RFC 7009 §2.1). A second call changes nothing.
   * @param token `tokenId` is the `jti` that the server generated: at most 255 ASCII characters.
   */
  revokeToken(token: {
    readonly tokenId: string
    readonly expiresAt: EpochSeconds
    readonly now: EpochSeconds
  }): Promise<void>

  /** Whether the token was revoked with `revokeToken` and has not expired. */
  isTokenRevoked(tokenId: string, now: EpochSeconds): Promise<boolean>

  /**
   * Returns the first `limit` revocations whose position is `from` or later (`undefined` for the first) and whose time is
   * `revokedSince` or later.
   * Law: once a record was listed, no other record is written before it, so a reader that continues after the last one misses none.
   * A database that does not make transactions visible in the order of their numbers must write one revocation at a time:
   * `UPDATE ending_positions SET last_position = last_position + 1 WHERE issuer = ?` locks the row until the transaction ends.
   */
  list(page: {
    readonly from: number | undefined
    readonly revokedSince: EpochSeconds
    readonly limit: number
  }): Promise<RevocationList>
}
