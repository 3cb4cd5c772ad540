import { clientsWithNewColumns, type Migration } from './migration.ts'

/** The clients get statistics of sample rows with their new columns, in a migration of its own as in 0011. */
export const encryptedAnswerStatistics: Migration = {
  number: 45,
  name: '0045-encrypted-answer-statistics',
  statements: ({ showRows }) => showRows(clientsWithNewColumns),
}
