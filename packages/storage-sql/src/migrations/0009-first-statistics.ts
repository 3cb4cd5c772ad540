import type { Migration } from './migration.ts'

/**
 * Of a table that it has never seen rows of, PostgreSQL guesses that an issuer has one: any index that begins with the issuer is then
 * as good as the key, and connections keep a plan that reads all that the issuer has until the table is analysed, a minute
 * later or more. So it is shown in time what tables will be like.
 */
export const firstStatistics: Migration = {
  number: 9,
  name: '0009-first-statistics',
  statements: ({ showRows }) => showRows({ tables, alike, absent }),
}

/** Those of which an issuer has many rows. */
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

/** Columns in which many rows have the same. */
const alike = ['issuer', 'provider_id', 'purpose', 'log', 'kind']

/** Columns in which most rows have nothing. */
const absent = ['revoked_at', 'removed_at', 'consumed_at', 'disabled_at']
