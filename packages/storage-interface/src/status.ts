import type { ClientRecord } from './client.ts'
import type { GrantRecord } from './grant.ts'
import type { FamilyId, GrantId, SecretDigest } from './identifiers.ts'
import type { SessionRecord } from './session.ts'
import type { TokenFamilyRecord } from './token-family.ts'
import type { UserRecord } from './user.ts'

/** The rows on which a code's life depends. `undefined` members are gone: removed, or never there. */
export interface GrantStatus {
  readonly grant: GrantRecord
  readonly client: ClientRecord | undefined
  readonly user: UserRecord | undefined
}

/** The rows on which the life of an access or refresh token depends. */
export interface FamilyStatus {
  readonly family: TokenFamilyRecord
  readonly grant: GrantRecord | undefined
  readonly client: ClientRecord | undefined
  readonly user: UserRecord | undefined
}

/** The rows on which a session's life depends. */
export interface SessionStatus {
  readonly session: SessionRecord
  readonly user: UserRecord | undefined
}

/**
 * Rows that belong together, in one read of one moment, so that no answer mixes before and after.
 * Law: each answer is what the single stores hold. The reader decides what is alive; these methods judge nothing.
 */
export interface StatusStore {
  /** `SELECT … FROM grants LEFT JOIN clients … LEFT JOIN users … WHERE issuer = ? AND grant_id = ?` */
  ofGrant(grantId: GrantId): Promise<GrantStatus | undefined>

  /** As `ofGrant`, from the family on. */
  ofFamily(familyId: FamilyId): Promise<FamilyStatus | undefined>

  /** As `ofFamily`, by the part that all refresh tokens of the family share. */
  ofRefreshHandle(handleDigest: SecretDigest): Promise<FamilyStatus | undefined>

  /** A session by the digest of its cookie, with its user. */
  ofSession(digest: SecretDigest): Promise<SessionStatus | undefined>
}
