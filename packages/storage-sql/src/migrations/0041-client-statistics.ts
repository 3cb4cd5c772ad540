import { clientsWithNewColumns, type Migration } from './migration.ts'

/** The clients get statistics of sample rows with their new columns, in a migration of its own as in 0011. */
export const clientStatistics: Migration = {
  number: 41,
  name: '0041-client-statistics',
  statements: ({ showRows }) => showRows(clientsWithNewColumns),
}
