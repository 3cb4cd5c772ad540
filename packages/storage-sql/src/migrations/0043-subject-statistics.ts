import { clientsWithNewColumns, type Migration } from './migration.ts'

/** The new table, and the clients with their new columns, get statistics of sample rows, in a migration of its own as in 0011. */
export const subjectStatistics: Migration = {
  number: 43,
  name: '0043-subject-statistics',
  statements: ({ showRows }) => [
    ...showRows({ tables: ['mintmark_subjects'], alike: ['issuer', 'sector'], absent: ['kept_until'] }),
    ...showRows(clientsWithNewColumns),
  ],
}
