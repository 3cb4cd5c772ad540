import type { Migration } from './migration.ts'

/** The tables of the migration before get statistics of sample rows, in a migration of its own as in 0011. */
export const sessionStatistics: Migration = {
  number: 25,
  name: '0025-session-statistics',
  statements: ({ showRows }) =>
    showRows({
      tables: ['mintmark_sessions', 'mintmark_session_participants'],
      alike: ['issuer'],
      absent: ['revoked_at', 'end_reason'],
    }),
}
