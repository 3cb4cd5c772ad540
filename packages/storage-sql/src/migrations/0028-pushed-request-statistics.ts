import type { Migration } from './migration.ts'

/** The table of the migration before gets statistics of sample rows, in a migration of its own as in 0011. */
export const pushedRequestStatistics: Migration = {
  number: 28,
  name: '0028-pushed-request-statistics',
  statements: ({ showRows }) =>
    showRows({ tables: ['mintmark_pushed_requests'], alike: ['issuer', 'client_id'], absent: ['consumed_at'] }),
}
