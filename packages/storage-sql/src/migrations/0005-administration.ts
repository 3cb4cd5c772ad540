import type { SqlEngine } from '../dialect.ts'
import { administrationTriggers } from './administration-triggers.ts'
import type { Migration } from './migration.ts'

/**
 * Tables of the admin API: organizations and their members, logs, removed clients, and lists of all users of an issuer.
 * A removed organization stays as a tombstone, so that its identifier is never reused.
 */
export const administration: Migration = {
  number: 5,
  name: '0005-administration',
  statements: (types) => [
    `ALTER TABLE mintmark_clients ADD COLUMN removed_at ${types.integer}`,
    ...organizations(types),
    ...logs(types),
    `CREATE INDEX mintmark_users_by_creation ON mintmark_users (issuer, created_at, user_id) WHERE removed_at IS NULL`,
    `CREATE TABLE mintmark_account_totals (
  issuer ${types.text} NOT NULL,
  total ${types.integer} NOT NULL,
  PRIMARY KEY (issuer)
) ${types.smallRowTable}`,
    // First, because they keep other writers out until the migration is done, and count later writes.
    ...administrationTriggers.flatMap(types.trigger),
    `INSERT INTO mintmark_account_totals (issuer, total)
SELECT issuer, count(*) FROM mintmark_users WHERE removed_at IS NULL GROUP BY issuer`,
  ],
}

type Types = SqlEngine['types']

const organizations = ({ text, integer, json, table, smallRowTable }: Types): readonly string[] => [
  `CREATE TABLE mintmark_organizations (
  issuer ${text} NOT NULL,
  organization_id ${text} NOT NULL,
  display_name ${text} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  removed_at ${integer},
  PRIMARY KEY (issuer, organization_id)
) ${table}`,

  `CREATE TABLE mintmark_memberships (
  issuer ${text} NOT NULL,
  organization_id ${text} NOT NULL,
  user_id ${text} NOT NULL,
  roles ${json} NOT NULL,
  created_at ${integer} NOT NULL,
  updated_at ${integer} NOT NULL,
  version ${integer} NOT NULL,
  PRIMARY KEY (issuer, organization_id, user_id)
) ${smallRowTable}`,
  `CREATE INDEX mintmark_memberships_by_user ON mintmark_memberships (issuer, user_id, organization_id)`,
]

const logs = ({ text, integer, json, table }: Types): readonly string[] => [
  `CREATE TABLE mintmark_logs (
  issuer ${text} NOT NULL,
  entry_id ${text} NOT NULL,
  log ${text} NOT NULL,
  at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  type ${text} NOT NULL,
  detail ${json} NOT NULL,
  PRIMARY KEY (issuer, entry_id)
) ${table}`,
  `CREATE INDEX mintmark_logs_by_time ON mintmark_logs (issuer, log, at, entry_id)`,
  `CREATE INDEX mintmark_logs_by_expiry ON mintmark_logs (issuer, expires_at)`,
]
