import type { SqlExpectedRows } from '../dialect.ts'
import type { Migration } from './migration.ts'

/**
 * PostgreSQL assumes that an issuer has one row in a table without statistics: any index that begins with the issuer
 * then looks as good as the key, and connections keep a plan that reads all rows of the issuer until the table is
 * analysed, a minute later or more. So the tables get statistics of sample rows at once. SQLite gets statistics of every index
 * of these tables.
 *
 * This is a migration of its own, because in the transaction that creates a table, PostgreSQL truncates it in place and remembers
 * that it has no rows.
 */
export const statistics: Migration = {
  number: 2,
  name: '0002-statistics',
  statements: ({ showRows }) => expectedRows.flatMap(showRows),
}

/** Columns that are empty in most rows. */
const absent = [
  'revoked_at',
  'removed_at',
  'consumed_at',
  'disabled_at',
  'agent_provider_id',
  'agent_owner_user_id',
  'agent_external_id',
]

/** Tables of which an issuer has many rows, and one of which it has a few. */
const expectedRows: readonly SqlExpectedRows[] = [
  {
    tables: [
      'mintmark_clients',
      'mintmark_users',
      'mintmark_groups',
      'mintmark_group_members',
      'mintmark_organizations',
      'mintmark_memberships',
      'mintmark_grants',
      'mintmark_codes',
      'mintmark_families',
      'mintmark_opaque_tokens',
      'mintmark_interactions',
      'mintmark_replays',
      'mintmark_logs',
    ],
    alike: ['issuer', 'provider_id', 'purpose', 'log', 'kind'],
    absent,
  },
  { tables: ['mintmark_revocations'], alike: ['issuer', 'kind'], absent: ['generation'] },
  {
    tables: ['mintmark_custom_resources', 'mintmark_custom_resource_keys'],
    alike: ['issuer', 'provider_id', 'resource_type'],
    absent,
  },
  {
    tables: ['mintmark_user_values', 'mintmark_user_changes', 'mintmark_group_changes', 'mintmark_departures'],
    alike: ['issuer', 'provider_id', 'attribute', 'kind'],
    absent,
  },
  {
    tables: ['mintmark_sessions', 'mintmark_session_participants', 'mintmark_initial_access_tokens'],
    alike: ['issuer'],
    absent: [...absent, 'end_reason'],
  },
  { tables: ['mintmark_pushed_requests'], alike: ['issuer', 'client_id'], absent },
  { tables: ['mintmark_decoupled_requests'], alike: ['issuer', 'client_id', 'kind'], absent },
  { tables: ['mintmark_subjects'], alike: ['issuer', 'sector'], absent: [...absent, 'kept_until'] },
  {
    tables: ['mintmark_deliveries'],
    alike: ['issuer', 'channel', 'state', 'recipient'],
    absent: [...absent, 'lease_token', 'last_failure', 'settled_at', 'lane', 'sequence'],
  },
  {
    tables: ['mintmark_changes'],
    alike: ['issuer', 'type'],
    absent: [...absent, 'group_id', 'client_id', 'session_id', 'grant_id'],
  },
  { tables: ['mintmark_webhooks'], alike: ['url'], absent },
]
