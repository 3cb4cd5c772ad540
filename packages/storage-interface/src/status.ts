import type { StatusClient } from './client.ts'
import type { GrantRecord } from './grant.ts'
import type { EpochSeconds, FamilyId, GrantId, SecretDigest, SessionId } from './values.ts'
import type { BoundSession, SessionRecord } from './session.ts'
import type { TokenFamilyRecord } from './token-family.ts'
import type { UserRecord } from './user.ts'

/** The rows that decide whether a code is active. A member is `undefined` if its row was removed or never existed. */
export interface GrantStatus {
  readonly grant: GrantRecord
  readonly client: StatusClient | undefined
  readonly user: UserRecord | undefined
  /** The session that the code is bound to; `undefined` as well if it is bound to none. */
  readonly session: BoundSession | undefined
}

/** The rows that decide whether an access or refresh token is active. */
export interface FamilyStatus {
  readonly family: TokenFamilyRecord
  readonly grant: GrantRecord | undefined
  readonly client: StatusClient | undefined
  readonly user: UserRecord | undefined
  /** The session that the family is bound to; `undefined` as well if it is bound to none. */
  readonly session: BoundSession | undefined
}

/** The rows that decide whether a session is active. */
export interface SessionStatus {
  readonly session: SessionRecord
  readonly user: UserRecord | undefined
}

/** Names an access token of a user and its family. */
export interface AccessTokenKey {
  readonly familyId: FamilyId
  /** The `jti`. */
  readonly tokenId: string
  readonly now: EpochSeconds
}

/**
 * Reads rows that belong together in one consistent read.
 * Law: each row equals the row that its own store returns. Of a client, only the members of `StatusClient` are needed: the
 * status is read in most requests, and a client has many columns. The server decides what is active, not these methods.
 */
export interface StatusStore {
  /**
   * Returns a grant with its client and its user.
   * `SELECT … FROM grants LEFT JOIN clients … LEFT JOIN users … LEFT JOIN sessions … ON session_id = ? WHERE issuer = ? AND grant_id = ?`
   * @param boundTo the session that a code is bound to; it is returned too.
   */
  ofGrant(grantId: GrantId, boundTo?: SessionId): Promise<GrantStatus | undefined>

  /** Returns a family with its grant, its client, its user and the session that it is bound to. */
  ofFamily(familyId: FamilyId): Promise<FamilyStatus | undefined>

  /**
   * Returns the family of an access token as `ofFamily` does; `undefined` as well if the token itself was revoked with
   * `revocations.revokeToken` and has not expired. Introspection and userinfo read this in each request.
   * `… WHERE issuer = ? AND family_id = ? AND NOT EXISTS (SELECT … FROM revoked_tokens WHERE token_id = ? AND expires_at > ?)`
   */
  ofAccessToken(token: AccessTokenKey): Promise<FamilyStatus | undefined>

  /** Like `ofFamily`, but finds the family by the digest of the part that all its refresh tokens share. */
  ofRefreshHandle(handleDigest: SecretDigest): Promise<FamilyStatus | undefined>

  /**
   * Returns those of the families that exist, in any order, each as `ofFamily` does.
   * `… WHERE issuer = ? AND family_id IN (?, ?, ?, ?)`
   * @param familyIds one to `maxParents`.
   */
  ofFamilies(familyIds: readonly FamilyId[]): Promise<readonly FamilyStatus[]>

  /** Returns the session whose cookie has this digest, with its user. */
  ofSession(digest: SecretDigest): Promise<SessionStatus | undefined>
}
