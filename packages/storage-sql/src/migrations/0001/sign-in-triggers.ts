import type { SqlTrigger } from '../../dialect.ts'

/** Triggers that end what belongs to a removed session or user. */
export const signInTriggers: readonly SqlTrigger[] = [
  {
    name: 'mintmark_sessions_removed',
    table: 'mintmark_sessions',
    after: 'DELETE',
    when: 'OLD.session_id IS NOT NULL',
    statements: ['DELETE FROM mintmark_session_participants WHERE issuer = OLD.issuer AND session_id = OLD.session_id'],
  },
  {
    name: 'mintmark_users_subjects_removed',
    table: 'mintmark_users',
    after: 'UPDATE OF removed_at',
    when: 'OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL',
    statements: [
      `UPDATE mintmark_subjects SET kept_until = NEW.removed_at + 691200
    WHERE issuer = OLD.issuer AND user_id = OLD.user_id`,
    ],
  },
]
