import type { Migration } from './migration.ts'

/**
 * PostgreSQL assumes that an issuer has one row in a table without statistics: any index that begins with the issuer
 * then looks as good as the key, and connections keep a plan that reads all rows of the issuer until the table is
 * analysed, a minute later or more. So the tables get statistics of sample rows at once.
 */
export const firstStatistics: Migration = {
  number: 9,
  name: '0009-first-statistics',
  statements: ({ showRows }) => showRows({ tables, alike, absent }),
}

/** Tables of which an issuer has many rows. */
const tables = [
  'mintmark_clients',
  'mintmark_users',
  'mintmark_user_emails',
  'mintmark_groups',
  'mintmark_group_members',
  'mintmark_organizations',
  'mintmark_memberships',
  'mintmark_grants',
  'mintmark_codes',
  'mintmark_families',
  'mintmark_opaque_tokens',
  'mintmark_interactions',
  'mintmark_sessions',
  'mintmark_claims',
  'mintmark_logs',
  'mintmark_endings',
]

/** Columns in which many rows have the same value. */
const alike = ['issuer', 'provider_id', 'purpose', 'log', 'kind']

/** Columns that are empty in most rows. */
const absent = ['revoked_at', 'removed_at', 'consumed_at', 'disabled_at']
