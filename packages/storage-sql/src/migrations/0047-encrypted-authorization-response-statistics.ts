import { clientsWithNewColumns, type Migration } from './migration.ts'

/** The clients get statistics of sample rows with their new columns, in a migration of its own as in 0011. */
export const encryptedAuthorizationResponseStatistics: Migration = {
  number: 47,
  name: '0047-encrypted-authorization-response-statistics',
  statements: ({ showRows }) => showRows(clientsWithNewColumns),
}
