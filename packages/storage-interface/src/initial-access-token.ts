import {
  initialAccessTokenId,
  secretDigest,
  type EpochSeconds,
  type InitialAccessTokenId,
  type SecretDigest,
} from './values.ts'
import type { InsertOutcome, RevokeOutcome } from './outcome.ts'
import { defineRecord, id, integer, key, list, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Initial access tokens (RFC 7591 §1.2). Each lets its holder register a number of clients, within limits. */
export const initialAccessTokens = defineRecord('initialAccessTokens', {
  tokenId: key(id(initialAccessTokenId)),
  digest: id(secretDigest),
  /** For administrators: whom the token was created for. */
  displayName: text,
  /** The grant types that its clients may register. */
  grantTypes: list(text),
  /** The scope values that its clients may register. */
  scopes: list(text),
  /** The hosts to which its clients may redirect; an empty list allows every host. */
  redirectHosts: list(text),
  /** How many more clients may be registered with the token. */
  remaining: integer,
  createdAt: time,
  /** From this time on, no client can be registered with the token. Administrators see it until it is purged. */
  expiresAt: time,
  revokedAt: optional(time),
})

/** An initial access token as it is stored: only the digest of its secret, and what the token permits. */
export interface InitialAccessTokenRecord extends RecordOf<typeof initialAccessTokens> {}

/**
 * `spent`: the record has the number of registrations that are left. `exhausted`: none were left. `absent`: the token is unknown,
 * expired or revoked.
 */
export type SpendOutcome =
  | { readonly outcome: 'spent'; readonly record: InitialAccessTokenRecord }
  | { readonly outcome: 'exhausted' }
  | { readonly outcome: 'absent' }

/** Initial access tokens, by identifier. */
export interface InitialAccessTokenStore {
  insert(token: InitialAccessTokenRecord): Promise<InsertOutcome>

  /** Finds the token even if it has expired or was revoked. */
  find(tokenId: InitialAccessTokenId): Promise<InitialAccessTokenRecord | undefined>

  /**
   * Uses up one registration. Law: under any interleaving, this succeeds at most as many times as the token permitted
   * when it was created.
   * `UPDATE initial_access_tokens SET remaining = remaining - 1 WHERE issuer = ? AND token_id = ? AND digest = ? AND expires_at > ? AND revoked_at IS NULL AND remaining > 0 RETURNING *`
   */
  spend(tokenId: InitialAccessTokenId, digest: SecretDigest, now: EpochSeconds): Promise<SpendOutcome>

  /** Law: a second revocation does not change `revokedAt`. */
  revoke(tokenId: InitialAccessTokenId, now: EpochSeconds): Promise<RevokeOutcome>

  /** Returns at most `limit` tokens whose identifiers come after `after`, in the order of their identifiers. */
  list(page: {
    readonly after: InitialAccessTokenId | undefined
    readonly limit: number
  }): Promise<readonly InitialAccessTokenRecord[]>
}
