import type { LogEntryRecord } from '../../log-entry.ts'
import { now, nowPlus } from './moments.ts'

/** An entry of the log of administrative acts, kept for an hour. */
export const aLogEntry = (overrides: Partial<LogEntryRecord> = {}): LogEntryRecord => ({
  entryId: 'entry-1',
  log: 'admin',
  at: now,
  expiresAt: nowPlus(3600),
  type: 'client.disabled',
  detail: { actor: 'client-1', target: 'client-2' },
  ...overrides,
})
