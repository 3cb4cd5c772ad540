import { userId, type UserId } from './values.ts'
import { defineRecord, id, key, optional, text, time, type RecordOf } from './records/define-record.ts'

/** The identifiers of users at groups of clients, called sectors (OIDC Core §8.1). */
export const subjects = defineRecord(
  'subjects',
  {
    sector: key(text),
    userId: key(id(userId)),
    /** Unique in its sector. */
    subject: text,
  },
  { storedOnly: { keptUntil: optional(time) } },
)

/** The identifier of a user at the clients of one sector. */
export interface SubjectRecord extends RecordOf<typeof subjects> {}

/** `unchanged`: the user had an identifier before. `taken`: the candidate is the identifier of another user. */
export type SubjectOutcome =
  { readonly outcome: 'assigned' | 'unchanged'; readonly subject: string } | { readonly outcome: 'taken' }

/**
 * Pairwise subject identifiers. They are random and stored: there is no key whose loss would change them, and the user is
 * found from the identifier.
 */
export interface SubjectStore {
  /**
   * Assigns a user's identifier in a sector, unless the user has one. Law: a user has one identifier in a sector, the same for
   * every caller, and an identifier is one user's.
   * `INSERT INTO subjects … ON CONFLICT DO NOTHING`
   */
  assign(candidate: SubjectRecord): Promise<SubjectOutcome>

  /** The user whom an identifier names in a sector, also a removed one, until the identifier is purged. */
  find(sector: string, subject: string): Promise<UserId | undefined>
}
