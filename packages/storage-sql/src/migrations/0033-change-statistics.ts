import type { Migration } from './migration.ts'

/** The tables of changes, webhooks and deliveries get statistics of sample rows, in a migration of its own as in 0011. */
export const changeStatistics: Migration = {
  number: 33,
  name: '0033-change-statistics',
  statements: ({ showRows }) => [
    ...showRows({
      tables: ['mintmark_changes'],
      alike: ['issuer', 'type'],
      absent: ['group_id', 'client_id', 'session_id', 'grant_id'],
    }),
    // Of these an issuer has a few.
    ...showRows({ tables: ['mintmark_webhooks'], alike: ['url'], absent: ['disabled_at'] }),
    ...showRows({
      tables: ['mintmark_deliveries'],
      alike: ['issuer', 'channel', 'state', 'recipient'],
      absent: ['lease_token', 'last_failure', 'settled_at', 'lane', 'sequence'],
      again: true,
    }),
  ],
}
