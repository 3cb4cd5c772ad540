import type { InsertOutcome } from './outcome.ts'
import type { EpochSeconds } from './values.ts'
import { defineRecord, json, key, text, time, type RecordOf } from './records/define-record.ts'

/** Log entries. */
export const logs = defineRecord('logs', {
  /** Random, but increasing with time: it orders the entries of the same second. */
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

/** Logs. Entries are kept for a limited time and never change. */
export interface LogStore {
  append(entry: LogEntryRecord): Promise<InsertOutcome>

  /**
   * Returns at most `limit` entries of a log, newest first.
   * @param page `before` is the `at` and the `entryId` of the last entry of the previous page; `undefined` for the first page.
   */
  list(page: {
    readonly log: string
    readonly before: { readonly at: EpochSeconds; readonly entryId: string } | undefined
    readonly limit: number
  }): Promise<readonly LogEntryRecord[]>
}
