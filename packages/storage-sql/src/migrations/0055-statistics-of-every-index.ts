import type { Migration } from './migration.ts'

/**
 * SQLite gets statistics of every index of the tables of which an issuer has many rows. In PostgreSQL these tables have
 * them already.
 */
export const statisticsOfEveryIndex: Migration = {
  number: 55,
  name: '0055-statistics-of-every-index',
  statements: ({ showRows }) => showRows({ tables, alike, absent }),
}

const tables = [
  'mintmark_changes',
  'mintmark_claims',
  'mintmark_clients',
  'mintmark_codes',
  'mintmark_custom_resource_keys',
  'mintmark_custom_resources',
  'mintmark_deliveries',
  'mintmark_departures',
  'mintmark_endings',
  'mintmark_families',
  'mintmark_grants',
  'mintmark_group_changes',
  'mintmark_group_members',
  'mintmark_groups',
  'mintmark_initial_access_tokens',
  'mintmark_interactions',
  'mintmark_logs',
  'mintmark_memberships',
  'mintmark_opaque_tokens',
  'mintmark_organizations',
  'mintmark_pushed_requests',
  'mintmark_session_participants',
  'mintmark_sessions',
  'mintmark_subjects',
  'mintmark_user_changes',
  'mintmark_user_values',
  'mintmark_users',
]

const alike = [
  'issuer',
  'provider_id',
  'resource_type',
  'attribute',
  'purpose',
  'log',
  'kind',
  'channel',
  'state',
  'recipient',
  'type',
  'sector',
]

const absent = ['revoked_at', 'removed_at', 'consumed_at', 'disabled_at']
