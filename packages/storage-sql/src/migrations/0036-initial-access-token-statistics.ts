import type { Migration } from './migration.ts'

/** The table of the migration before gets statistics of sample rows, in a migration of its own as in 0011. */
export const registrationStatistics: Migration = {
  number: 36,
  name: '0036-initial-access-token-statistics',
  statements: ({ showRows }) =>
    showRows({ tables: ['mintmark_initial_access_tokens'], alike: ['issuer'], absent: ['revoked_at'] }),
}
