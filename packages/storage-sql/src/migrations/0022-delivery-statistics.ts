import type { Migration } from './migration.ts'

/** The table of deliveries gets statistics of sample rows, in a migration of its own as in 0011. */
export const deliveryStatistics: Migration = {
  number: 22,
  name: '0022-delivery-statistics',
  statements: ({ showRows }) =>
    showRows({
      tables: ['mintmark_deliveries'],
      alike: ['issuer', 'channel', 'state', 'recipient'],
      absent: ['lease_token', 'last_failure', 'settled_at'],
    }),
}
