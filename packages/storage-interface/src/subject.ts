import { userId, type UserId } from './values.ts'
import { defineRecord, id, key, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Pairwise subject identifiers. A user has one in each sector, which is a group of clients (OIDC Core §8.1). */
export const subjects = defineRecord(
  'subjects',
  {
    sector: key(text),
    userId: key(id(userId)),
    /** Unique within its sector. */
    subject: text,
  },
  { storedOnly: { keptUntil: optional(time) } },
)

/** The identifier of a user at the clients of one sector. */
export interface SubjectRecord extends RecordOf<typeof subjects> {}

/** `unchanged`: the user already had an identifier. `taken`: another user of the sector has this identifier. */
export type SubjectOutcome =
  { readonly outcome: 'assigned' | 'unchanged'; readonly subject: string } | { readonly outcome: 'taken' }

/**
 * Pairwise subject identifiers. They are random and stored, not derived from a key: losing a key cannot change them, and the
 * user can be found by the identifier.
 */
export interface SubjectStore {
  /**
   * Assigns an identifier to a user in a sector, unless the user has one. Law: a user has one identifier in a sector, every
   * caller gets the same one, and no two users of a sector have the same identifier.
   * `INSERT INTO subjects … ON CONFLICT DO NOTHING`
   */
  assign(candidate: SubjectRecord): Promise<SubjectOutcome>

  /** Finds the user with this identifier in a sector. A removed user is found until the identifier is purged. */
  find(sector: string, subject: string): Promise<UserId | undefined>
}
