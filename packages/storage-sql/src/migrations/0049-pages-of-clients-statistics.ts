import { clientsWithNewColumns, type Migration } from './migration.ts'

/** The clients get statistics of sample rows with their new columns, in a migration of its own as in 0011. */
export const pagesOfClientsStatistics: Migration = {
  number: 49,
  name: '0049-pages-of-clients-statistics',
  statements: ({ showRows }) => showRows(clientsWithNewColumns),
}
