import { defineRecord, integer, key, text, time, type RecordOf } from './records/define-record.ts'

/** How far readers have read a list: the list of revocations or the list of changes. */
export const cursors = defineRecord('cursors', {
  /** The name of the reader. All processes that do its work share the row. */
  consumer: key(text),
  /** The position of the last revocation or change that was read; 0 before the first. */
  position: integer,
  /** When the reader last reached the end of the list. */
  readAt: time,
  /** Increases by one with each write. Starts at 1. */
  version: integer,
})

/** The position of a reader in its list. */
export interface CursorRecord extends RecordOf<typeof cursors> {}

/** Positions in the lists of revocations and changes, for readers that several processes share. */
export interface CursorStore {
  read(consumer: string): Promise<CursorRecord | undefined>

  /**
   * Law: of several writers that read the same version, one gets `swapped`.
   * @param version the version that was read; 0 if there was no cursor: the call then inserts it.
   */
  compareAndSwap(
    cursor: Omit<CursorRecord, 'version'>,
    version: number,
  ): Promise<{ readonly outcome: 'swapped'; readonly record: CursorRecord } | { readonly outcome: 'conflict' }>
}
