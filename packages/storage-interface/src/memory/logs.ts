import { compareText } from '../filter/matches-filter.ts'
import type { LogEntryRecord, LogStore } from '../log-entry.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'
import { createSortedRows, type SortedRows } from './sorted-rows.ts'

export interface LogTable {
  readonly byId: ExpiringRows<string, LogEntryRecord>
  /** The entries of each log, newest first. */
  readonly byLog: Map<string, LogEntries>
}

type LogEntries = SortedRows<LogEntryRecord, LogPosition>

type LogPosition = Pick<LogEntryRecord, 'at' | 'entryId'>

export const createLogTable = (): LogTable => ({
  byId: createExpiringRows(({ expiresAt }) => expiresAt),
  byLog: new Map(),
})

export function createMemoryLogs({ byId, byLog }: LogTable, scheduler: SchedulerHook): LogStore {
  return {
    async append(entry) {
      await scheduler()
      if (byId.has(entry.entryId)) return { outcome: 'taken' }

      const record = frozenCopy(entry)
      const entries = byLog.get(record.log) ?? createSortedRows<LogEntryRecord, LogPosition>(compareNewest)
      byLog.set(record.log, entries)
      entries.add(record)
      byId.set(record.entryId, record)
      return { outcome: 'inserted' }
    },

    async list({ log, before, limit }) {
      await scheduler()
      const entries = byLog.get(log)
      if (entries === undefined) return []

      const start = before === undefined ? 0 : entries.countUpTo(before)
      return entries.slice(start, start + limit)
    },
  }
}

/** Removes an entry. */
export function removeLogEntry({ byId, byLog }: LogTable, entryId: string): void {
  const entry = byId.get(entryId)
  if (entry !== undefined) byLog.get(entry.log)?.remove(entry)
  byId.delete(entryId)
}

const compareNewest = (one: LogPosition, other: LogPosition): number =>
  other.at - one.at || compareText(other.entryId, one.entryId)
