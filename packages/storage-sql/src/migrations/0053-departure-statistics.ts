import type { Migration } from './migration.ts'

/** The table of the migration before gets statistics of sample rows, in a migration of its own as in 0011. */
export const departureStatistics: Migration = {
  number: 53,
  name: '0053-departure-statistics',
  // The table has no such column as `absent` names.
  statements: ({ showRows }) =>
    showRows({ tables: ['mintmark_departures'], alike: ['issuer', 'provider_id'], absent: ['removed_at'] }),
}
