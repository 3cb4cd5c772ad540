import type { SqlEngine } from '../../dialect.ts'

/** Interactions, pushed requests, requests from other devices, sessions, and the identifiers by which clients know users. */
export const signInTables = (types: SqlEngine['types']): readonly string[] => [
  ...interactions(types),
  ...decoupledRequests(types),
  ...sessions(types),
  ...subjects(types),
]

const interactions = ({ text, key, integer, json, table, smallRowTable }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_interactions (
  issuer ${key} NOT NULL,
  digest ${key} NOT NULL,
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
  issuer ${key} NOT NULL,
  digest ${key} NOT NULL,
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
]

const decoupledRequests = ({ text, key, integer, json, table }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_decoupled_requests (
  issuer ${key} NOT NULL,
  digest ${key} NOT NULL,
  kind ${text} NOT NULL,
  user_code_digest ${key},
  client_id ${text} NOT NULL,
  scopes ${json} NOT NULL,
  resources ${json} NOT NULL,
  authorization_details ${json} NOT NULL,
  acr_values ${json} NOT NULL,
  user_id ${text},
  user_generation ${integer},
  binding_message ${text},
  asked_from ${text},
  possession ${json} NOT NULL,
  notification ${text},
  status ${text} NOT NULL,
  approval ${json},
  poll_interval ${integer} NOT NULL,
  last_polled_at ${integer},
  usable_until ${integer} NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  consumed_at ${integer},
  PRIMARY KEY (issuer, digest)
) ${table}`,
  // A unique index has any number of rows without a user code.
  `CREATE UNIQUE INDEX mintmark_decoupled_requests_by_user_code ON mintmark_decoupled_requests (issuer, user_code_digest)`,
  `CREATE INDEX mintmark_decoupled_requests_by_expiry ON mintmark_decoupled_requests (issuer, expires_at)`,
]

const sessions = ({
  text,
  key,
  integer,
  json,
  smallRowTable,
  partialIndex,
  expressionIndex,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_sessions (
  issuer ${key} NOT NULL,
  session_id ${key} NOT NULL,
  user_id ${key},
  user_generation ${integer} NOT NULL,
  digest ${key},
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
  partialIndex({
    name: 'mintmark_sessions_by_user',
    table: 'mintmark_sessions',
    columns: ['issuer', 'user_id', 'created_at'],
    where: 'revoked_at IS NULL',
  }),
  // The later of two times: the planner could mistake an index of either for a way to the sessions of a user.
  expressionIndex({
    name: 'mintmark_sessions_by_end',
    table: 'mintmark_sessions',
    columns: ['issuer'],
    expression: 'CASE WHEN idle_expires_at > kept_until THEN idle_expires_at ELSE kept_until END',
  }),

  `CREATE TABLE mintmark_session_participants (
  issuer ${key} NOT NULL,
  session_id ${key} NOT NULL,
  client_id ${key} NOT NULL,
  first_at ${integer} NOT NULL,
  last_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, session_id, client_id)
) ${smallRowTable}`,
]

const subjects = ({ key, integer, table, partialIndex }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_subjects (
  issuer ${key} NOT NULL,
  sector ${key} NOT NULL,
  user_id ${key} NOT NULL,
  subject ${key} NOT NULL,
  kept_until ${integer},
  PRIMARY KEY (issuer, sector, user_id)
) ${table}`,
  `CREATE UNIQUE INDEX mintmark_subjects_by_subject ON mintmark_subjects (issuer, sector, subject)`,
  `CREATE INDEX mintmark_subjects_by_user ON mintmark_subjects (issuer, user_id)`,
  partialIndex({
    name: 'mintmark_subjects_by_end',
    table: 'mintmark_subjects',
    columns: ['issuer', 'kept_until'],
    where: 'kept_until IS NOT NULL',
  }),
]
