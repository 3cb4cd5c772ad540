import { tell } from './ending-triggers.ts'
import type { Migration } from './migration.ts'

const sessionEnd = { kind: 'session', nameOf: 'NEW.session_id', at: 'NEW.revoked_at' }

/**
 * A session is known by its identifier, because one of the host has no cookie of ours, and lists the clients that take
 * part in it. A key cannot be changed in place in SQLite, so the rows move to a new table: sessions go on. Defaults are
 * for processes of the version before, which insert sessions until they are replaced.
 */
export const sessions: Migration = {
  number: 24,
  name: '0024-sessions',
  statements: ({ text, integer, json, smallRowTable, trigger }) => [
    // First, because it keeps other writers out until the migration is done.
    `ALTER TABLE mintmark_sessions RENAME TO mintmark_sessions_with_cookie`,
    `DROP INDEX mintmark_sessions_by_session_id`,
    `DROP INDEX mintmark_sessions_by_user`,
    `DROP INDEX mintmark_sessions_by_end`,
    `CREATE TABLE mintmark_sessions (
  issuer ${text} NOT NULL,
  session_id ${text} NOT NULL,
  user_id ${text},
  user_generation ${integer} NOT NULL,
  digest ${text},
  auth_time ${integer} NOT NULL,
  acr ${text},
  amr ${json} NOT NULL,
  user_agent ${text},
  location ${text},
  created_at ${integer} NOT NULL,
  last_seen_at ${integer} NOT NULL DEFAULT 0,
  idle_expires_at ${integer},
  expires_at ${integer},
  kept_until ${integer} NOT NULL DEFAULT 0,
  revoked_at ${integer},
  end_reason ${text},
  PRIMARY KEY (issuer, session_id)
) ${smallRowTable}`,
    `INSERT INTO mintmark_sessions (issuer, session_id, user_id, user_generation, digest, auth_time, acr, amr,
  created_at, last_seen_at, idle_expires_at, expires_at, kept_until, revoked_at)
SELECT issuer, session_id, user_id, user_generation, digest, auth_time, acr, amr,
  created_at, created_at, idle_expires_at, expires_at, created_at, revoked_at FROM mintmark_sessions_with_cookie`,
    `DROP TABLE mintmark_sessions_with_cookie`,
    `CREATE UNIQUE INDEX mintmark_sessions_by_digest ON mintmark_sessions (issuer, digest)`,
    `CREATE INDEX mintmark_sessions_by_user ON mintmark_sessions (issuer, user_id, created_at) WHERE revoked_at IS NULL`,
    `CREATE INDEX mintmark_sessions_by_end ON mintmark_sessions (issuer, (${lastNeeded}))`,

    `CREATE TABLE mintmark_session_participants (
  issuer ${text} NOT NULL,
  session_id ${text} NOT NULL,
  client_id ${text} NOT NULL,
  first_at ${integer} NOT NULL,
  last_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, session_id, client_id)
) ${smallRowTable}`,

    `ALTER TABLE mintmark_codes ADD COLUMN bound_session_id ${text}`,
    `ALTER TABLE mintmark_families ADD COLUMN bound_session_id ${text}`,

    ...trigger({
      name: 'mintmark_sessions_told',
      table: 'mintmark_sessions',
      after: 'UPDATE OF revoked_at',
      when: 'OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL',
      statements: tell(sessionEnd),
    }),
    ...trigger({
      name: 'mintmark_sessions_told_tombstone',
      table: 'mintmark_sessions',
      after: 'INSERT',
      when: 'NEW.user_id IS NULL AND NEW.revoked_at IS NOT NULL',
      statements: tell(sessionEnd),
    }),
    ...trigger({
      name: 'mintmark_sessions_removed',
      table: 'mintmark_sessions',
      after: 'DELETE',
      when: 'OLD.session_id IS NOT NULL',
      statements: [
        'DELETE FROM mintmark_session_participants WHERE issuer = OLD.issuer AND session_id = OLD.session_id',
      ],
    }),
  ],
}

const lastNeeded = 'CASE WHEN idle_expires_at > kept_until THEN idle_expires_at ELSE kept_until END'
