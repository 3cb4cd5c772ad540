import type { Migration } from './migration.ts'

/** Pairwise subject identifiers, which are kept for some days after the user was removed, and the clients that get them. */
export const subjects: Migration = {
  number: 42,
  name: '0042-subjects',
  statements: ({ text, integer, table, trigger }) => [
    `CREATE TABLE mintmark_subjects (
  issuer ${text} NOT NULL,
  sector ${text} NOT NULL,
  user_id ${text} NOT NULL,
  subject ${text} NOT NULL,
  kept_until ${integer},
  PRIMARY KEY (issuer, sector, user_id)
) ${table}`,
    `CREATE UNIQUE INDEX mintmark_subjects_by_subject ON mintmark_subjects (issuer, sector, subject)`,
    `CREATE INDEX mintmark_subjects_by_user ON mintmark_subjects (issuer, user_id)`,
    `CREATE INDEX mintmark_subjects_by_end ON mintmark_subjects (issuer, kept_until) WHERE kept_until IS NOT NULL`,
    `ALTER TABLE mintmark_clients ADD COLUMN subject_type ${text} NOT NULL DEFAULT 'public'`,
    `ALTER TABLE mintmark_clients ADD COLUMN sector_identifier_uri ${text}`,
    ...trigger({
      name: 'mintmark_users_subjects_removed',
      table: 'mintmark_users',
      after: 'UPDATE OF removed_at',
      when: 'OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL',
      statements: [
        `UPDATE mintmark_subjects SET kept_until = NEW.removed_at + 691200
    WHERE issuer = OLD.issuer AND user_id = OLD.user_id`,
      ],
    }),
  ],
}
