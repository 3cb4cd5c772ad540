import type { SqlEngine } from '../../dialect.ts'

/** Grants, what is issued from them, and the values that were used once and must not be used again. */
export const tokensTables = (types: SqlEngine['types']): readonly string[] => [
  ...grants(types),
  ...codes(types),
  ...families(types),
  ...opaqueTokens(types),
  ...replays(types),
]

const grants = ({ text, key, integer, json, smallRowTable, partialIndex }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_grants (
  issuer ${key} NOT NULL,
  grant_id ${key} NOT NULL,
  client_id ${key} NOT NULL,
  user_id ${key} NOT NULL,
  user_generation ${integer} NOT NULL,
  scopes ${json} NOT NULL,
  created_at ${integer} NOT NULL,
  revoked_at ${integer},
  version ${integer} NOT NULL,
  resources ${json} NOT NULL DEFAULT '[]',
  client_digest ${text},
  authorization_details ${json} NOT NULL DEFAULT '[]',
  PRIMARY KEY (issuer, grant_id)
) ${smallRowTable}`,
  partialIndex({
    name: 'mintmark_grants_one_unrevoked',
    table: 'mintmark_grants',
    columns: ['issuer', 'user_id', 'client_id'],
    where: 'revoked_at IS NULL',
    unique: true,
  }),
  partialIndex({
    name: 'mintmark_grants_by_user',
    table: 'mintmark_grants',
    columns: ['issuer', 'user_id', 'created_at'],
    where: 'revoked_at IS NULL',
  }),
  partialIndex({
    name: 'mintmark_grants_by_revocation',
    table: 'mintmark_grants',
    columns: ['issuer', 'revoked_at'],
    where: 'revoked_at IS NOT NULL',
  }),
]

const codes = ({ text, key, integer, json, smallRowTable }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_codes (
  issuer ${key} NOT NULL,
  digest ${key} NOT NULL,
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
  bound_session_id ${text},
  possession ${json} NOT NULL DEFAULT '{"kind":"none"}',
  organization_id ${text},
  authorization_details ${json} NOT NULL DEFAULT '[]',
  PRIMARY KEY (issuer, digest)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_codes_by_expiry ON mintmark_codes (issuer, expires_at)`,
]

const families = ({ text, key, integer, json, smallRowTable, partialIndex }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_families (
  issuer ${key} NOT NULL,
  family_id ${key} NOT NULL,
  grant_id ${text} NOT NULL,
  client_id ${text} NOT NULL,
  user_id ${key} NOT NULL,
  scopes ${json} NOT NULL,
  resources ${json} NOT NULL,
  claims_request ${json},
  authentication ${json} NOT NULL,
  handle_digest ${key},
  current_digest ${text},
  previous_digest ${text},
  successor_salt ${text},
  rotated_at ${integer},
  refresh_expires_at ${integer},
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  revoked_at ${integer},
  bound_session_id ${text},
  possession ${json} NOT NULL DEFAULT '{"kind":"none"}',
  organization_id ${key},
  authorization_details ${json} NOT NULL DEFAULT '[]',
  retried_at ${integer},
  lineage ${json},
  PRIMARY KEY (issuer, family_id)
) ${smallRowTable}`,
  `CREATE UNIQUE INDEX mintmark_families_by_handle ON mintmark_families (issuer, handle_digest)`,
  `CREATE INDEX mintmark_families_by_expiry ON mintmark_families (issuer, expires_at)`,
  // Revoked families are purged before they would expire. Rotation changes no column of this index.
  partialIndex({
    name: 'mintmark_families_by_revocation',
    table: 'mintmark_families',
    columns: ['issuer', 'revoked_at'],
    where: 'revoked_at IS NOT NULL',
  }),
  // Few are for an organization.
  partialIndex({
    name: 'mintmark_families_by_organization',
    table: 'mintmark_families',
    columns: ['issuer', 'organization_id', 'user_id'],
    where: 'organization_id IS NOT NULL',
  }),
]

const opaqueTokens = ({ text, key, integer, json, smallRowTable }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_opaque_tokens (
  issuer ${key} NOT NULL,
  digest ${key} NOT NULL,
  client_id ${text} NOT NULL,
  family_id ${text},
  claims ${json} NOT NULL,
  expires_at ${integer} NOT NULL,
  revoked_at ${integer},
  PRIMARY KEY (issuer, digest)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_opaque_tokens_by_expiry ON mintmark_opaque_tokens (issuer, expires_at)`,
]

const replays = ({ text, key, integer, smallRowTable }: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_replays (
  issuer ${key} NOT NULL,
  purpose ${key} NOT NULL,
  value_digest ${key} NOT NULL,
  expires_at ${integer} NOT NULL,
  value ${text},
  marked_at ${integer},
  PRIMARY KEY (issuer, purpose, value_digest)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_replays_by_expiry ON mintmark_replays (issuer, expires_at)`,
]
