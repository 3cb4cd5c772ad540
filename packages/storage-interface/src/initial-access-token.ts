import {
  initialAccessTokenId,
  secretDigest,
  type EpochSeconds,
  type InitialAccessTokenId,
  type SecretDigest,
} from './values.ts'
import type { InsertOutcome, RevokeOutcome } from './outcome.ts'
import { defineRecord, id, integer, key, list, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Initial access tokens (RFC 7591 §1.2): each lets its holder register a number of clients, within limits. */
export const initialAccessTokens = defineRecord('initialAccessTokens', {
  tokenId: key(id(initialAccessTokenId)),
  digest: id(secretDigest),
  /** For administrators: whom it was made for. */
  displayName: text,
  /** The grant types that its clients may have at most. */
  grantTypes: list(text),
  /** The scope values that its clients may have at most. */
  scopes: list(text),
  /** The hosts to which its clients may redirect; an empty list allows every host. */
  redirectHosts: list(text),
  /** How many more clients it may register. */
  remaining: integer,
  createdAt: time,
  /** Kept for administrators until it is purged; from then on it registers nothing. */
  expiresAt: time,
  revokedAt: optional(time),
})

/** A permission of an administrator to register clients. */
export interface InitialAccessTokenRecord extends RecordOf<typeof initialAccessTokens> {}

/** `spent` with what is left after it; `exhausted` when nothing was left; `absent` for an unknown, expired or revoked one. */
export type SpendOutcome =
  | { readonly outcome: 'spent'; readonly record: InitialAccessTokenRecord }
  | { readonly outcome: 'exhausted' }
  | { readonly outcome: 'absent' }

/** Initial access tokens, by identifier. */
export interface InitialAccessTokenStore {
  insert(token: InitialAccessTokenRecord): Promise<InsertOutcome>

  /** Finds an expired or revoked one too. */
  find(tokenId: InitialAccessTokenId): Promise<InitialAccessTokenRecord | undefined>

  /**
   * Law: it is spent at most as often as it was made for, whatever the interleaving.
   * `UPDATE initial_access_tokens SET remaining = remaining - 1 WHERE issuer = ? AND token_id = ? AND digest = ? AND expires_at > ? AND revoked_at IS NULL AND remaining > 0 RETURNING *`
   */
  spend(tokenId: InitialAccessTokenId, digest: SecretDigest, now: EpochSeconds): Promise<SpendOutcome>

  /** Law: the time of the first revocation stays. */
  revoke(tokenId: InitialAccessTokenId, now: EpochSeconds): Promise<RevokeOutcome>

  /** At most `limit` tokens in the order of their identifiers, after `after`. */
  list(page: {
    readonly after: InitialAccessTokenId | undefined
    readonly limit: number
  }): Promise<readonly InitialAccessTokenRecord[]>
}
