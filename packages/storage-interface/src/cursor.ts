import { defineRecord, integer, key, text, time, type RecordOf } from './records/define-record.ts'

/** How far readers have read the list of revocations. */
export const cursors = defineRecord('cursors', {
  /** Names the reader: all processes that do its work share the row. */
  consumer: key(text),
  /** The position of the last revocation that was read; 0 before the first. */
  position: integer,
  /** When there was no later revocation. */
  readAt: time,
  /** Counts the changes, from 1. */
  version: integer,
})

/** The position of a reader of the revocations. */
export interface CursorRecord extends RecordOf<typeof cursors> {}

/** Positions in the list of revocations, for readers that several processes share. */
export interface CursorStore {
  read(consumer: string): Promise<CursorRecord | undefined>

  /**
   * Law: of the writers that read one version, one is swapped.
   * @param version the version that was read; 0 when there was no cursor, which is then inserted.
   */
  compareAndSwap(
    cursor: Omit<CursorRecord, 'version'>,
    version: number,
  ): Promise<{ readonly outcome: 'swapped'; readonly record: CursorRecord } | { readonly outcome: 'conflict' }>
}
