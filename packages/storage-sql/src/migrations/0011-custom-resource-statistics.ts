import type { Migration } from './migration.ts'

/**
 * The tables of the migration before get statistics of sample rows, as in 0009. In the transaction that creates a table, PostgreSQL
 * truncates it in place and remembers that it has no rows, so this is a migration of its own.
 */
export const customResourceStatistics: Migration = {
  number: 11,
  name: '0011-custom-resource-statistics',
  statements: ({ showRows }) =>
    showRows({
      tables: ['mintmark_custom_resources', 'mintmark_custom_resource_keys'],
      alike: ['issuer', 'provider_id', 'resource_type'],
      // The tables have no such column.
      absent: ['removed_at'],
    }),
}
