import type { SqlEngine } from '../../dialect.ts'

/** Interactions, pushed requests, sessions, and the identifiers by which clients know users. */
export const signInTables = ({ text, integer, json, table, smallRowTable }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_interactions (
  issuer ${text} NOT NULL,
  digest ${text} NOT NULL,
  browser_digest ${text} NOT NULL,
  client_id ${text} NOT NULL,
  parameters ${json} NOT NULL,
  resources ${json} NOT NULL,
  login ${json},
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  consumed_at ${integer},
  PRIMARY KEY (issuer, digest)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_interactions_by_expiry ON mintmark_interactions (issuer, expires_at)`,

  `CREATE TABLE mintmark_pushed_requests (
  issuer ${text} NOT NULL,
  digest ${text} NOT NULL,
  client_id ${text} NOT NULL,
  parameters ${json} NOT NULL,
  resources ${json} NOT NULL,
  usable_until ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  consumed_at ${integer},
  PRIMARY KEY (issuer, digest)
) ${table}`,
  `CREATE INDEX mintmark_pushed_requests_by_expiry ON mintmark_pushed_requests (issuer, expires_at)`,

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
  `CREATE UNIQUE INDEX mintmark_sessions_by_digest ON mintmark_sessions (issuer, digest)`,
  `CREATE INDEX mintmark_sessions_by_user ON mintmark_sessions (issuer, user_id, created_at) WHERE revoked_at IS NULL`,
  // The later of two times: the planner could mistake an index of either for a way to the sessions of a user.
  `CREATE INDEX mintmark_sessions_by_end ON mintmark_sessions (issuer, (CASE WHEN idle_expires_at > kept_until THEN idle_expires_at ELSE kept_until END))`,

  `CREATE TABLE mintmark_session_participants (
  issuer ${text} NOT NULL,
  session_id ${text} NOT NULL,
  client_id ${text} NOT NULL,
  first_at ${integer} NOT NULL,
  last_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, session_id, client_id)
) ${smallRowTable}`,

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
]
