// One file: opening the database, preparing statements and grouping writes all concern its one main connection.

import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync, type SQLOutputValue, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkOptions, createRecentMap, oneOf } from '@mintmark/internal'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import {
  type SqlDialect,
  type SqlRow,
  type SqlValue,
  type StatementLifetime,
  UniqueViolationError,
} from '../dialect.ts'
import { createWriteQueues } from '../write-queues.ts'
import { toIndexByColumn, toSqlRows } from '../row.ts'
import { sqlite, sqliteThatCounts } from './engine.ts'
import { createSqliteReader, longestPrepared, type SqliteReader } from './reader.ts'

/** Options of `openSqliteDialect`. */
export interface SqliteDialectOptions {
  /**
   * `on-open`: `createSqlStorage` applies pending migrations, for development. `by-command`: if there are any, it fails
   * with an error that contains the command to run.
   * @defaultValue `by-command`. In production an operator decides when a schema changes.
   */
  readonly migrate?: 'by-command' | 'on-open'
  /**
   * `full`: a write is on the disk before it is confirmed. `normal` is several times faster and as safe when the
   * process dies, but a power cut may lose the last transactions: a used code or a rotated refresh token could be used
   * again, and a revoked one could work.
   * @defaultValue `full`. A revocation survives a power cut.
   */
  readonly synchronous?: 'full' | 'normal'
}

/**
 * Opens a SQLite database in a file, which several processes on one machine may share, or in memory (`:memory:`). The file is
 * opened at once, and created for its owner alone (mode 0600) if necessary. Writes of one turn of the event loop are
 * committed together. While another process writes, a write blocks the thread for up to five seconds; other writes take
 * milliseconds. Queries over many rows run on two separate threads, one for pages and one for searches. With a database in
 * memory, they block the only thread.
 * @throws StorageUnavailableError when the file cannot be opened, or its file system cannot share it.
 */
export function openSqliteDialect(path: string, options: SqliteDialectOptions = {}): SqlDialect {
  checkOptions('openSqliteDialect', options, {
    migrate: oneOf('by-command', 'on-open'),
    synchronous: oneOf('full', 'normal'),
  })
  const { migrate = 'by-command', synchronous = 'full' } = options
  const database = open(path, synchronous)
  const lasting = new Map<string, RunPrepared>()
  const passing = createRecentMap<RunPrepared>({ limit: 100, maxKeyLength: longestPrepared })
  const runWrite = createWriteGroup(database)
  // A database in memory belongs to one connection.
  const isInMemory = /^$|:memory:|mode=memory/.test(path)
  const openReader = (): SqliteReader => createSqliteReader(path, asStorageError)
  // Pages take milliseconds and do not wait for searches.
  const readers = isInMemory || !hasColumns ? undefined : { long: openReader(), passing: openReader() }

  function prepare(statement: string, lifetime: StatementLifetime): RunPrepared {
    if (lifetime === 'passing') return passing.get(statement, () => prepareRows(database, statement))
    const existing = lasting.get(statement)
    if (existing !== undefined) return existing

    const fresh = prepareRows(database, statement)
    lasting.set(statement, fresh)
    return fresh
  }

  return {
    engine: givesValues ? sqliteThatCounts : sqlite,
    migrate,
    migrateCommand: `npx mintmark-migrate apply --sqlite ${/^[\w./:@+-]+$/.test(path) ? path : JSON.stringify(path)}`,

    async all(statement, parameters, { lifetime = 'lasting', owner = '', signal, maxBytes } = {}) {
      signal?.throwIfAborted()
      if (lifetime !== 'lasting' && readers !== undefined)
        return readers[lifetime].all(statement, parameters, { owner, signal, maxBytes })
      const work = (): readonly SqlRow[] => prepare(statement, lifetime)(parameters, maxBytes)
      return isWrite.test(statement) ? runWrite(work) : convertErrors(work)
    },

    async transact(steps) {
      return runWrite(() =>
        atomically(database, () => {
          let rows: readonly SqlRow[] = []
          for (const { statement, parameters, role } of steps) {
            rows = prepare(statement, 'lasting')(parameters)
            if (role === 'guard' && rows.length === 0) return { outcome: 'undone', value: undefined }
          }
          return { outcome: 'done', value: rows }
        }),
      )
    },

    oneAtATime: createWriteQueues(5000),

    async atomically(statements) {
      convertErrors(() => {
        // A migration may sort any number of rows, so it uses temporary files.
        database.exec('PRAGMA temp_store = DEFAULT')
        try {
          inTransaction(database, () => {
            for (const statement of statements) database.exec(statement)
            return { outcome: 'done', value: undefined }
          })
        } finally {
          database.exec(undoInMemory)
        }
      })
    },

    async close() {
      // Pending writes are written first.
      await nextTurn()
      lasting.clear()
      passing.clear()
      await Promise.all([readers?.long.close(), readers?.passing.close()])
      if (database.isOpen) database.close()
    },
  }
}

/** Creates a new database file for its owner alone. SQLite gives its additional files (`-wal`, `-shm`) the same mode. */
function createPrivately(path: string): void {
  if (path === ':memory:' || path.startsWith('file:')) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // The file exists, or SQLite reports what is wrong with the path.
  }
}

function open(path: string, synchronous: 'full' | 'normal'): DatabaseSync {
  createPrivately(path)
  return convertErrors(() => {
    const database = openFile(path)
    try {
      database.exec('PRAGMA busy_timeout = 5000')
      // Write-ahead log: readers and a writer do not wait for one another, and a killed process leaves only complete
      // transactions.
      const mode = database.prepare('PRAGMA journal_mode = WAL').get()
      if (path !== ':memory:' && mode?.['journal_mode'] !== 'wal') throw new StorageUnavailableError(noWal)
      // A page that is written several times before a checkpoint is copied into the file once. The default is 1,000 pages of 4 kB.
      database.exec('PRAGMA wal_autocheckpoint = 4000')
      database.exec(`PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'}`)
      database.exec('PRAGMA foreign_keys = ON')
      database.exec('PRAGMA trusted_schema = OFF')
      database.exec(undoInMemory)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** @throws StorageUnavailableError which names the file: SQLite does not. */
function openFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path)
  } catch (cause) {
    const file = path.startsWith('file:') ? path : resolve(path)
    throw new StorageUnavailableError(
      `The SQLite database ${file} cannot be opened. Its folder must exist, and this process must be allowed to write to both.`,
      { cause },
    )
  }
}

/** A write that begins differently still works, but is not committed together with others. */
const isWrite = /^(?:insert|update|delete) /i

/**
 * Keeps the undo record of a statement in memory. By default, SQLite moves it to a new file once triggers make the
 * statement change sixteen pages of the file, although nothing needs the record after the statement.
 */
const undoInMemory = 'PRAGMA temp_store = MEMORY'

const noWal = 'The file system of the SQLite database cannot share it between processes (no write-ahead log)'

function convertErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asStorageError(error)
  }
}

/** Runs a prepared statement. */
type RunPrepared = (parameters: readonly SqlValue[], maxBytes?: number) => readonly SqlRow[]

/**
 * Prepares a statement. The column names are read once: an object with names for each row takes more than twice as long
 * as the values alone.
 */
function prepareRows(database: DatabaseSync, statement: string): RunPrepared {
  const prepared = database.prepare(statement)
  const read = (key: string | number, parameters: readonly SqlValue[], maxBytes: number | undefined) =>
    maxBytes === undefined
      ? prepared.all(...bindable(parameters))
      : untilBytes(prepared.iterate(...bindable(parameters)), key, maxBytes)
  if (!givesValues) return (parameters, maxBytes) => toSqlRows(read('bytes', parameters, maxBytes))

  prepared.setReturnArrays(true)
  const names = prepared.columns().map(({ name }) => name)
  if (names.length === 0) return (parameters) => (prepared.run(...bindable(parameters)).changes > 0 ? [changed] : [])
  const indexByColumn = toIndexByColumn(names)
  const bytesIndex = names.indexOf('bytes')
  return (parameters, maxBytes) => {
    // The types of `all` and `iterate` do not know `setReturnArrays`.
    const rows = read(bytesIndex, parameters, maxBytes) as unknown as readonly (readonly SQLOutputValue[])[]
    return rows.map((values) => ({ indexByColumn, values }))
  }
}

/** The row of a write that returns no columns. */
const changed: SqlRow = { indexByColumn: new Map(), values: [] }

/** Reads rows until the sum of their bytes reaches the maximum, and then one more. `reader.ts` has the same function. */
function untilBytes<Row extends object>(
  rows: IterableIterator<Row>,
  key: string | number,
  maxBytes: number,
): readonly Row[] {
  const read: Row[] = []
  let bytes = 0
  try {
    for (const row of rows) {
      read.push(row)
      if (bytes >= maxBytes) break
      bytes += Number((row as Record<string | number, unknown>)[key])
    }
  } finally {
    // The loop does not do this if Node.js cannot convert a row. An open statement would make all later writes fail.
    rows.return?.()
  }
  return read
}

/** The engine encodes flags as numbers. */
const bindable = (parameters: readonly SqlValue[]) => parameters as readonly Exclude<SqlValue, boolean>[]

/** Whether Node.js can name the columns of a statement (22.16 and later), which the thread needs. */
const hasColumns = 'columns' in StatementSync.prototype

/** Whether Node.js can return rows as lists of values (22.16 and later). */
const givesValues = 'setReturnArrays' in StatementSync.prototype

/**
 * Runs the write at the end of this turn of the event loop, together with the other writes of the turn. It is
 * synchronous. Errors are converted by `asStorageError`.
 */
export type RunWrite = <T>(write: () => T) => Promise<T>

/** The connection of the writes. Not Node's own type, which would be in the published declarations. */
interface WriteConnection {
  exec(sql: string): void
  readonly isTransaction: boolean
}

/** A write that has not run. */
interface WaitingWrite {
  readonly run: () => Answer
  readonly fail: (error: unknown) => void
}

/** Settles the promise of a write. */
type Answer = () => void

/**
 * Groups the writes of one turn into one transaction: they wait for the disk once, and a page of the file that several of
 * them change is written once. They run one after the other, each sees the earlier ones, and none is confirmed before all
 * are committed. A write that violates a constraint does not affect the others; if the transaction fails, all of them
 * fail.
 */
export function createWriteGroup(database: WriteConnection): RunWrite {
  let waiting: WaitingWrite[] = []

  function runWaiting(): void {
    const group = waiting
    waiting = []
    try {
      const [first] = group
      const answers = first !== undefined && group.length === 1 ? [first.run()] : runTogether(group, database)
      for (const answer of answers) answer()
    } catch (error) {
      for (const { fail } of group) fail(asStorageError(error))
    }
  }

  return (write) =>
    new Promise((resolve, reject) => {
      // Requests that arrive before that are read first, and add their own writes.
      if (waiting.length === 0) setImmediate(runWaiting)
      waiting.push({
        run: () => {
          const result = write()
          return () => resolve(result)
        },
        fail: reject,
      })
    })
}

/** @throws the error that rolled the transaction back: none of the writes took effect. */
const runTogether = (group: readonly WaitingWrite[], database: WriteConnection): readonly Answer[] =>
  inTransaction(database, () => ({ outcome: 'done', value: group.map((write) => runOne(write, database)) }))

function runOne({ run, fail }: WaitingWrite, database: WriteConnection): Answer {
  try {
    return run()
  } catch (error) {
    const converted = asStorageError(error)
    // Errors such as a full disk may have rolled back the other writes (https://sqlite.org/lang_transaction.html §3).
    if (!database.isTransaction || converted instanceof StorageUnavailableError) throw error
    return () => fail(converted)
  }
}

/** Returns whether its writes are kept. */
type Work<T> = () => { readonly outcome: 'done' | 'undone'; readonly value: T }

/**
 * Runs the work in a transaction that excludes other writers. It is synchronous, so no other caller in this process
 * runs in between.
 * @throws the error of the work or of SQLite; nothing was written.
 */
function inTransaction<T>(database: WriteConnection, work: Work<T>): T {
  // IMMEDIATE takes the write lock first: nobody else writes between the reads and the writes.
  database.exec('BEGIN IMMEDIATE')
  return keepOrUndo(database, work, { keep: 'COMMIT', undo: 'ROLLBACK' })
}

/**
 * Runs the work in a transaction, or as a part of the present one.
 * @throws the error of the work or of SQLite; the work wrote nothing.
 */
function atomically<T>(database: WriteConnection, work: Work<T>): T {
  if (!database.isTransaction) return inTransaction(database, work)
  database.exec('SAVEPOINT part')
  return keepOrUndo(database, work, { keep: 'RELEASE part', undo: 'ROLLBACK TO part; RELEASE part' })
}

function keepOrUndo<T>(
  database: WriteConnection,
  work: Work<T>,
  { keep, undo }: { readonly keep: string; readonly undo: string },
): T {
  try {
    const { outcome, value } = work()
    database.exec(outcome === 'done' ? keep : undo)
    return value
  } catch (error) {
    try {
      database.exec(undo)
    } catch {
      // An error such as a full disk has rolled back the whole transaction already.
    }
    throw error
  }
}

/**
 * Converts outages to `StorageUnavailableError` and a duplicate key to `UniqueViolationError`. Every other error is a defect
 * of this package, and is returned unchanged.
 */
function asStorageError(thrown: unknown): unknown {
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

/** SQLITE_CONSTRAINT_UNIQUE: a duplicate key of a unique index. No update changes a primary key, so none duplicates one. */
const uniqueConstraint = 2067

const unavailable = new Set([
  5, // SQLITE_BUSY: another process kept the lock for the whole busy timeout.
  6, // SQLITE_LOCKED
  7, // SQLITE_NOMEM
  8, // SQLITE_READONLY: for example when the file was moved away.
  9, // SQLITE_INTERRUPT
  10, // SQLITE_IOERR
  11, // SQLITE_CORRUPT
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN
  15, // SQLITE_PROTOCOL
  26, // SQLITE_NOTADB
])
