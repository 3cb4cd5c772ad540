import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { UniqueViolationError } from '../dialect.ts'

// Not the global one, which a host's tests may have stopped.

/**
 * Runs the write at the end of this turn of the event loop, together with the others that came until then. Nothing is
 * awaited in it. What it throws comes back as `asStorageError` has it.
 */
export type RunWrite = <T>(write: () => T) => Promise<T>

/** A write that has not run. */
interface WaitingWrite {
  readonly run: () => Answer
  readonly refuse: (error: unknown) => void
}

/** Tells whoever asked for the write how it went. */
type Answer = () => void

/**
 * Writes of one turn share a transaction: they wait for the disk once, and a page that several of them change is written
 * once. They run one after the other, each sees those before it, and nobody is answered before all are committed. A write
 * that breaks a constraint leaves the others alone; when the transaction fails, all of them have failed.
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
      // Until then the requests that have arrived are read, and bring their own writes.
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

/** @throws what ended the transaction: none of them was written. */
const runTogether = (group: readonly WaitingWrite[], database: DatabaseSync): readonly Answer[] =>
  inTransaction(database, () => ({ outcome: 'done', value: group.map((write) => runOne(write, database)) }))

function runOne({ run, refuse }: WaitingWrite, database: DatabaseSync): Answer {
  try {
    return run()
  } catch (error) {
    const refused = asStorageError(error)
    // A full disk and its kin may have undone what the others wrote (https://sqlite.org/lang_transaction.html §3).
    if (!database.isTransaction || refused instanceof StorageUnavailableError) throw error
    return () => refuse(refused)
  }
}

/**
 * Runs the work in a transaction that excludes other writers. Nothing is awaited in it: of the callers in this process
 * none comes in between.
 * @throws what the work throws, and what SQLite throws; nothing was written.
 */
export function inTransaction<T>(
  database: DatabaseSync,
  work: () => { readonly outcome: 'done' | 'undone'; readonly value: T },
): T {
  // IMMEDIATE takes the write lock first: nobody else writes between what is read and what is written.
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
    // An error such as a full disk has undone it already: there is nothing to roll back.
  }
}

/**
 * Turns "not now" into `StorageUnavailableError`, and a second row of one key into `UniqueViolation`; every other error is a
 * mistake of ours and stays what it is.
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

/** SQLITE_CONSTRAINT_UNIQUE. Keys that may be taken by an update are unique indexes; primary keys never change. */
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
