import type { InsertOutcome } from './outcome.ts'
import type { EpochSeconds } from './values.ts'
import { defineRecord, json, key, text, time, type RecordOf } from './records/define-record.ts'

/** Log entries. */
export const logs = defineRecord('logs', {
  /** Random, with time order: entries of the same second are ordered by it. */
  entryId: key(text),
  /** Which log the entry belongs to: `admin` for administrative actions, `provider:{id}` for the requests of an identity provider. */
  log: text,
  at: time,
  /** From this time on it may be purged. */
  expiresAt: time,
  /** What happened, such as `client.disabled`. */
  type: text,
  detail: json,
})

/** An action of an administrator or an identity provider, kept for people to read. It contains no secret. */
export interface LogEntryRecord extends RecordOf<typeof logs> {}

/** Logs that are kept for a time. Entries never change. */
export interface LogStore {
  append(entry: LogEntryRecord): Promise<InsertOutcome>

  /** At most `limit` entries of a log, the newest first, from before `before` on (`at` and `entryId` of the last one that was read). */
  list(page: {
    readonly log: string
    readonly before: { readonly at: EpochSeconds; readonly entryId: string } | undefined
    readonly limit: number
  }): Promise<readonly LogEntryRecord[]>
}
