import type { ClientRecord } from './client.ts'
import type { GrantRecord } from './grant.ts'
import type { FamilyId, GrantId, SecretDigest, SessionId } from './values.ts'
import type { BoundSession, SessionRecord } from './session.ts'
import type { TokenFamilyRecord } from './token-family.ts'
import type { UserRecord } from './user.ts'

/** The rows that decide whether a code is active. `undefined` members were removed or never existed. */
export interface GrantStatus {
  readonly grant: GrantRecord
  readonly client: ClientRecord | undefined
  readonly user: UserRecord | undefined
  /** The session that the code is bound to; `undefined` also for a code that is bound to none. */
  readonly session: BoundSession | undefined
}

/** The rows that decide whether an access or refresh token is active. */
export interface FamilyStatus {
  readonly family: TokenFamilyRecord
  readonly grant: GrantRecord | undefined
  readonly client: ClientRecord | undefined
  readonly user: UserRecord | undefined
  /** The session that the family is bound to; `undefined` also for a family that is bound to none. */
  readonly session: BoundSession | undefined
}

/** The rows that decide whether a session is active. */
export interface SessionStatus {
  readonly session: SessionRecord
  readonly user: UserRecord | undefined
}

/**
 * Rows that belong together, in one consistent read.
 * Law: each row is as its own store returns it. These methods do not decide what is active; the server does.
 */
export interface StatusStore {
  /**
   * `SELECT … FROM grants LEFT JOIN clients … LEFT JOIN users … LEFT JOIN sessions … ON session_id = ? WHERE issuer = ? AND grant_id = ?`
   * @param boundTo the session that a code is bound to.
   */
  ofGrant(grantId: GrantId, boundTo?: SessionId): Promise<GrantStatus | undefined>

  /** As `ofGrant`, from the family on, with the session that it is bound to. */
  ofFamily(familyId: FamilyId): Promise<FamilyStatus | undefined>

  /** As `ofFamily`, by the part that all refresh tokens of the family share. */
  ofRefreshHandle(handleDigest: SecretDigest): Promise<FamilyStatus | undefined>

  /** A session by the digest of its cookie, with its user. */
  ofSession(digest: SecretDigest): Promise<SessionStatus | undefined>
}
