import type { Migration } from './migration.ts'

/**
 * Every row belongs to one issuer, and every key and index begins with the issuer. Tokens and clients' secrets are stored
 * only as digests, and private keys are sealed. Times are whole seconds since 1970. There are no foreign keys: writes may
 * stop between any two statements, and a row that refers to a missing row is unused, not wrong.
 */
export const firstTables: Migration = {
  number: 1,
  name: '0001-first-tables',
  statements: ({ text, integer, flag, json, table, smallRowTable }) => [
    `CREATE TABLE mintmark_clients (
  issuer ${text} NOT NULL,
  client_id ${text} NOT NULL,
  client_name ${text} NOT NULL,
  token_endpoint_auth_method ${text} NOT NULL,
  secrets ${json} NOT NULL,
  secret_uses ${json} NOT NULL,
  jwks ${json},
  jwks_uri ${text},
  redirect_uris ${json} NOT NULL,
  grant_types ${json} NOT NULL,
  scopes ${json} NOT NULL,
  served_audiences ${json} NOT NULL,
  id_token_signed_response_alg ${text} NOT NULL,
  userinfo_signed_response_alg ${text},
  default_max_age ${integer},
  require_auth_time ${flag} NOT NULL,
  disabled_at ${integer},
  created_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, client_id)
) ${table}`,

    `CREATE TABLE mintmark_users (
  issuer ${text} NOT NULL,
  user_id ${text} NOT NULL,
  active ${flag} NOT NULL,
  generation ${integer} NOT NULL,
  claims ${json} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  removed_at ${integer},
  PRIMARY KEY (issuer, user_id)
) ${table}`,

    `CREATE TABLE mintmark_grants (
  issuer ${text} NOT NULL,
  grant_id ${text} NOT NULL,
  client_id ${text} NOT NULL,
  user_id ${text} NOT NULL,
  user_generation ${integer} NOT NULL,
  scopes ${json} NOT NULL,
  created_at ${integer} NOT NULL,
  revoked_at ${integer},
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, grant_id)
) ${smallRowTable}`,
    `CREATE UNIQUE INDEX mintmark_grants_one_unrevoked ON mintmark_grants (issuer, user_id, client_id) WHERE revoked_at IS NULL`,
    `CREATE INDEX mintmark_grants_by_user ON mintmark_grants (issuer, user_id, created_at) WHERE revoked_at IS NULL`,

    `CREATE TABLE mintmark_codes (
  issuer ${text} NOT NULL,
  digest ${text} NOT NULL,
  client_id ${text} NOT NULL,
  grant_id ${text} NOT NULL,
  family_id ${text} NOT NULL,
  user_id ${text} NOT NULL,
  redirect_uri ${text} NOT NULL,
  scopes ${json} NOT NULL,
  resources ${json} NOT NULL,
  nonce ${text},
  code_challenge_method ${text} NOT NULL,
  code_challenge ${text},
  claims_request ${json},
  authentication ${json} NOT NULL,
  issued_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  consumed_at ${integer},
  PRIMARY KEY (issuer, digest)
) ${smallRowTable}`,

    `CREATE TABLE mintmark_families (
  issuer ${text} NOT NULL,
  family_id ${text} NOT NULL,
  grant_id ${text} NOT NULL,
  client_id ${text} NOT NULL,
  user_id ${text} NOT NULL,
  scopes ${json} NOT NULL,
  resources ${json} NOT NULL,
  claims_request ${json},
  authentication ${json} NOT NULL,
  handle_digest ${text},
  current_digest ${text},
  previous_digest ${text},
  successor_salt ${text},
  rotated_at ${integer},
  refresh_expires_at ${integer},
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  revoked_at ${integer},
  PRIMARY KEY (issuer, family_id)
) ${smallRowTable}`,
    `CREATE UNIQUE INDEX mintmark_families_by_handle ON mintmark_families (issuer, handle_digest)`,

    `CREATE TABLE mintmark_opaque_tokens (
  issuer ${text} NOT NULL,
  digest ${text} NOT NULL,
  client_id ${text} NOT NULL,
  family_id ${text},
  claims ${json} NOT NULL,
  expires_at ${integer} NOT NULL,
  revoked_at ${integer},
  PRIMARY KEY (issuer, digest)
) ${smallRowTable}`,

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

    `CREATE TABLE mintmark_sessions (
  issuer ${text} NOT NULL,
  digest ${text} NOT NULL,
  session_id ${text} NOT NULL,
  user_id ${text} NOT NULL,
  user_generation ${integer} NOT NULL,
  auth_time ${integer} NOT NULL,
  acr ${text},
  amr ${json} NOT NULL,
  created_at ${integer} NOT NULL,
  idle_expires_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  revoked_at ${integer},
  PRIMARY KEY (issuer, digest)
) ${smallRowTable}`,
    `CREATE UNIQUE INDEX mintmark_sessions_by_session_id ON mintmark_sessions (issuer, session_id)`,
    `CREATE INDEX mintmark_sessions_by_user ON mintmark_sessions (issuer, user_id, created_at) WHERE revoked_at IS NULL`,

    `CREATE TABLE mintmark_signing_keys (
  issuer ${text} NOT NULL,
  key_id ${text} NOT NULL,
  algorithm ${text} NOT NULL,
  ordinal ${integer} NOT NULL,
  public_jwk ${json} NOT NULL,
  sealed_private_jwk ${text} NOT NULL,
  sealing_key_id ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, key_id)
) ${table}`,
    `CREATE UNIQUE INDEX mintmark_signing_keys_by_ordinal ON mintmark_signing_keys (issuer, algorithm, ordinal)`,

    `CREATE TABLE mintmark_claims (
  issuer ${text} NOT NULL,
  purpose ${text} NOT NULL,
  value_digest ${text} NOT NULL,
  expires_at ${integer} NOT NULL,
  PRIMARY KEY (issuer, purpose, value_digest)
) ${smallRowTable}`,
  ],
}
