import { epochSeconds, type JsonObject, type LogEntryRecord } from '@mintmark/storage-interface'
import { json, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'

export const logEntryColumns = ['issuer', 'entry_id', 'log', 'at', 'expires_at', 'type', 'detail'] as const

export const logEntryRow = (
  entry: LogEntryRecord,
): Omit<Record<(typeof logEntryColumns)[number], SqlValue>, 'issuer'> => ({
  entry_id: entry.entryId,
  log: entry.log,
  at: entry.at,
  expires_at: entry.expiresAt,
  type: entry.type,
  detail: json(entry.detail),
})

export const logEntryReader =
  (read: ColumnReader) =>
  (row: SqlRow): LogEntryRecord => ({
    entryId: read.text(row, 'entry_id'),
    log: read.text(row, 'log'),
    at: epochSeconds(read.integer(row, 'at')),
    expiresAt: epochSeconds(read.integer(row, 'expires_at')),
    type: read.text(row, 'type'),
    detail: read.json(row, 'detail') as JsonObject,
  })
