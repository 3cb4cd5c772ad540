import type { JsonObject } from './json.ts'
import type { InsertOutcome } from './outcome.ts'
import type { EpochSeconds } from './time.ts'

/** Something that an administrator or an identity provider did, kept for people to read. It holds no secret. */
export interface LogEntryRecord {
  /** Random, and in the order of time: entries of one second are ordered by it. */
  readonly entryId: string
  /** What it is a log of: `admin` for administrative acts, `provider:{id}` for the requests of a provider. */
  readonly log: string
  readonly at: EpochSeconds
  /** From this moment it may be cleared away. */
  readonly expiresAt: EpochSeconds
  /** What happened, such as `client.disabled`. */
  readonly type: string
  readonly detail: JsonObject
}

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
