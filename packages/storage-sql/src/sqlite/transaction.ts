import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { UniqueViolationError } from '../dialect.ts'

// The global one may be stopped by a host's fake timers.

/**
 * Runs the write at the end of this turn of the event loop, together with the other writes of the turn. It is
 * synchronous. Errors are converted by `asStorageError`.
 */
export type RunWrite = <T>(write: () => T) => Promise<T>

/** A write that has not run. */
interface WaitingWrite {
  readonly run: () => Answer
  readonly refuse: (error: unknown) => void
}

/** Settles the promise of a write. */
type Answer = () => void

/**
 * Groups the writes of one turn into one transaction: they wait for the disk once, and a page that several of them
 * change is written once. They run one after the other, each sees the ones before it, and none is confirmed before all
 * are committed. A write that violates a constraint leaves the others alone; if the transaction fails, all of them
 * fail.
 */
export function createWriteGroup(database: DatabaseSync): RunWrite {
  let waiting: WaitingWrite[] = []

  function runWaiting(): void {
    const group = waiting
    waiting = []
    try {
      const [first] = group
      const answers = first !== undefined && group.length === 1 ? [first.run()] : runTogether(group, database)
      for (const answer of answers) answer()
    } catch (error) {
      for (const { refuse } of group) refuse(asStorageError(error))
    }
  }

  return (write) =>
    new Promise((resolve, reject) => {
      // Requests that arrive until then are read first, and add their own writes.
      if (waiting.length === 0) setImmediate(runWaiting)
      waiting.push({
        run: () => {
          const result = write()
          return () => resolve(result)
        },
        refuse: reject,
      })
    })
}

/** @throws the error that rolled the transaction back: none of the writes took effect. */
const runTogether = (group: readonly WaitingWrite[], database: DatabaseSync): readonly Answer[] =>
  inTransaction(database, () => ({ outcome: 'done', value: group.map((write) => runOne(write, database)) }))

function runOne({ run, refuse }: WaitingWrite, database: DatabaseSync): Answer {
  try {
    return run()
  } catch (error) {
    const refused = asStorageError(error)
    // Errors such as a full disk may have rolled back the other writes (https://sqlite.org/lang_transaction.html §3).
    if (!database.isTransaction || refused instanceof StorageUnavailableError) throw error
    return () => refuse(refused)
  }
}

/**
 * Runs the work in a transaction that excludes other writers. It is synchronous, so no other caller in this process
 * runs in between.
 * @throws the error of the work or of SQLite; nothing was written.
 */
export function inTransaction<T>(
  database: DatabaseSync,
  work: () => { readonly outcome: 'done' | 'undone'; readonly value: T },
): T {
  // IMMEDIATE takes the write lock first: nobody else writes between the reads and the writes.
  database.exec('BEGIN IMMEDIATE')
  try {
    const { outcome, value } = work()
    database.exec(outcome === 'done' ? 'COMMIT' : 'ROLLBACK')
    return value
  } catch (error) {
    undo(database)
    throw error
  }
}

function undo(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // An error such as a full disk has rolled it back already.
  }
}

/**
 * Converts outages to `StorageUnavailableError` and a duplicate key to `UniqueViolationError`. Every other error is a
 * mistake of ours and stays as it is.
 */
export function asStorageError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  if ('errcode' in thrown && thrown.errcode === uniqueConstraint)
    return new UniqueViolationError(thrown.message, { cause: thrown })
  if (!isUnavailable(thrown)) return thrown
  return new StorageUnavailableError(`The SQLite database cannot answer now: ${thrown.message}`, { cause: thrown })
}

function isUnavailable(thrown: Error): boolean {
  if (!('code' in thrown)) return false
  if (thrown.code === 'ERR_INVALID_STATE') return true // The database has been closed.
  // The low byte of an extended result code is the primary one (https://sqlite.org/rescode.html).
  return 'errcode' in thrown && unavailable.has(Number(thrown.errcode) & 0xff)
}

/** SQLITE_CONSTRAINT_UNIQUE. Keys that an update may take are unique indexes; primary keys never change. */
const uniqueConstraint = 2067

const unavailable = new Set([
  5, // SQLITE_BUSY: another process kept the lock for the whole busy timeout.
  6, // SQLITE_LOCKED
  7, // SQLITE_NOMEM
  8, // SQLITE_READONLY: also when the file was moved away.
  9, // SQLITE_INTERRUPT
  10, // SQLITE_IOERR
  11, // SQLITE_CORRUPT
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN
  15, // SQLITE_PROTOCOL
  26, // SQLITE_NOTADB
])
