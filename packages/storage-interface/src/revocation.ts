import type { ClientId, FamilyId, GrantId, UserId } from './identifiers.ts'
import { seconds, type DurationSeconds, type EpochSeconds } from './time.ts'

/** Something that tokens depended on and that has ended; `client_in_use` takes back that a client had. All others never live again. */
export type Revocation =
  /** One access token, by its `jti`. */
  | { readonly kind: 'token'; readonly tokenId: string }
  | { readonly kind: 'family'; readonly familyId: FamilyId }
  | { readonly kind: 'grant'; readonly grantId: GrantId }
  /** A generation of an account: what was issued in it is dead, what is issued in a later one is not. */
  | { readonly kind: 'generation'; readonly userId: UserId; readonly generation: number }
  /** An account that was removed. */
  | { readonly kind: 'account'; readonly userId: UserId }
  | { readonly kind: 'client'; readonly clientId: ClientId }
  | { readonly kind: 'client_in_use'; readonly clientId: ClientId }

/** An ending as it was written. */
export interface RevocationRecord {
  /** Later endings have greater ones: at least 1, and not all numbers need be there. */
  readonly position: number
  readonly revocation: Revocation
  /** When it ended, by the clock of whoever ended it; of a client that is in use again, when it was disabled. */
  readonly revokedAt: EpochSeconds
}

export interface RevocationList {
  /** In the order of their positions. */
  readonly records: readonly RevocationRecord[]
  /** Of what ended earlier the list may know nothing: the store did not write endings then, or was not there. */
  readonly completeSince: EpochSeconds
}

/** For how long a store keeps an ending: longer than a day, the longest that a token may live whose receiver is told. */
export const revocationRetention: DurationSeconds = seconds(90_000)

/**
 * What has ended, in the order in which it did, so that whoever receives tokens can be told.
 *
 * Law: the verbs of the other stores that end something write the ending in the same atomic step: `families.revoke`, `bury`,
 * and `rotate` with `reused`; `grants.revoke`; `users.deactivate` and `remove`; of `provisionedUsers` all that advance the
 * generation, and `remove`; `clients.remove`, and `clients.compareAndSwap` where it sets or clears `disabledAt`. What changes
 * nothing writes none.
 */
export interface RevocationStore {
  /**
   * Ends one access token (RFC 7009 §2.1). A second call changes nothing.
   * @param token `tokenId` is the `jti` that the server drew: at most 255 ASCII characters.
   */
  revokeToken(token: {
    readonly tokenId: string
    readonly expiresAt: EpochSeconds
    readonly now: EpochSeconds
  }): Promise<void>

  /** Whether the token was ended by itself, and has not expired. */
  isTokenRevoked(tokenId: string, now: EpochSeconds): Promise<boolean>

  /**
   * The first `limit` endings from a position on, `undefined` for the first, that ended at `endedSince` or later.
   * Law: once a record was listed, nothing is written before it: whoever goes on behind the last one misses none. A database
   * whose transactions become visible in another order than their numbers lets one ending be written at a time:
   * `UPDATE ending_positions SET last_position = last_position + 1 WHERE issuer = ?`, and its row stays locked until the end.
   */
  list(page: {
    readonly from: number | undefined
    readonly endedSince: EpochSeconds
    readonly limit: number
  }): Promise<RevocationList>
}
