import { compareText } from '../filter/compare-text.ts'
import type { LogEntryRecord, LogStore } from '../log-entry.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Pause } from './pause.ts'

export type LogTable = Map<string, LogEntryRecord>

export const createLogTable = (): LogTable => new Map()

export function createMemoryLogs(entries: LogTable, pause: Pause): LogStore {
  return {
    async append(entry) {
      await pause()
      if (entries.has(entry.entryId)) return { outcome: 'taken' }

      entries.set(entry.entryId, frozenCopy(entry))
      return { outcome: 'inserted' }
    },

    async list({ log, before, limit }) {
      await pause()
      return [...entries.values()]
        .filter((entry) => entry.log === log && (before === undefined || compareEntries(entry, before) < 0))
        .toSorted((one, other) => compareEntries(other, one))
        .slice(0, limit)
    },
  }
}

type Place = Pick<LogEntryRecord, 'at' | 'entryId'>

const compareEntries = (one: Place, other: Place): number => one.at - other.at || compareText(one.entryId, other.entryId)
