import type { SqlEngine } from '../../dialect.ts'

/**
 * Organizations, their members, and logs. A removed organization stays as a tombstone, so that its identifier is never
 * reused.
 */
export const organizationsTables = ({
  text,
  key,
  integer,
  json,
  table,
  smallRowTable,
}: SqlEngine['types']): readonly string[] => [
  `CREATE TABLE mintmark_organizations (
  issuer ${key} NOT NULL,
  organization_id ${key} NOT NULL,
  display_name ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  removed_at ${integer},
  PRIMARY KEY (issuer, organization_id)
) ${table}`,

  `CREATE TABLE mintmark_memberships (
  issuer ${key} NOT NULL,
  organization_id ${key} NOT NULL,
  user_id ${key} NOT NULL,
  roles ${json} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, organization_id, user_id)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_memberships_by_user ON mintmark_memberships (issuer, user_id, organization_id)`,

  `CREATE TABLE mintmark_logs (
  issuer ${key} NOT NULL,
  entry_id ${key} NOT NULL,
  log ${key} NOT NULL,
  at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  type ${text} NOT NULL,
  detail ${json} NOT NULL,
  PRIMARY KEY (issuer, entry_id)
) ${table}`,
  `CREATE INDEX mintmark_logs_by_time ON mintmark_logs (issuer, log, at, entry_id)`,
  `CREATE INDEX mintmark_logs_by_expiry ON mintmark_logs (issuer, expires_at)`,
]
