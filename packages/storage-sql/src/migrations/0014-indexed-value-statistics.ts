import type { Migration } from './migration.ts'

/** The tables of the migration before get statistics of sample rows, in a migration of its own as in 0011. */
export const indexedValueStatistics: Migration = {
  number: 14,
  name: '0014-indexed-value-statistics',
  statements: ({ showRows }) =>
    showRows({
      tables: ['mintmark_user_values', 'mintmark_user_changes'],
      alike: ['issuer', 'provider_id', 'attribute'],
      // The tables have no such column.
      absent: ['removed_at'],
    }),
}
