import { DatabaseSync, type SQLOutputValue, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import type { SqlDialect, SqlRow, SqlValue, StatementLifetime } from '../dialect.ts'
import { createRecentMap } from '../recent-map.ts'
import { placesOf, rowsByPlace } from '../row.ts'
import { sqlite } from './engine.ts'
import { asStorageError, createWriteGroup, inTransaction } from './transaction.ts'

/** What is given to `sqliteFile`. */
export interface SqliteFileOptions {
  /**
   * `on-open`: `createSqlStorage` applies pending migrations, for development. `by-command`: it says which command to
   * run, and stops.
   * @defaultValue `by-command`. In production a person decides when a schema changes.
   */
  readonly migrate?: 'by-command' | 'on-open'
  /**
   * `full`: an answer is on the disk before it is given. `normal` is several times faster and as safe when the
   * process dies, but after a power cut the last transactions may be missing: a used code or a rotated refresh token
   * could be presented again, and a revoked one could work.
   * @defaultValue `full`. What was revoked stays revoked.
   */
  readonly synchronous?: 'full' | 'normal'
}

/**
 * A SQLite database in a file, which several processes on one machine may share, or in memory (`:memory:`).
 * The file is opened, and made if need be, at once. Writes of one turn of the event loop are committed together. While
 * another process writes, a write waits for up to five seconds, and the thread with it: others write for milliseconds.
 * @throws StorageUnavailableError when the file cannot be opened, or its file system cannot share it.
 */
export function openSqliteDialect(path: string, options: SqliteFileOptions = {}): SqlDialect {
  const { migrate = 'by-command', synchronous = 'full' } = options
  const database = open(path, synchronous)
  const lasting = new Map<string, RunPrepared>()
  const passing = createRecentMap<RunPrepared>({ limit: 100 })
  const runWrite = createWriteGroup(database)

  function prepare(statement: string, lifetime: StatementLifetime): RunPrepared {
    if (lifetime === 'passing') return passing.get(statement, () => prepareRows(database, statement))
    const existing = lasting.get(statement)
    if (existing !== undefined) return existing

    const fresh = prepareRows(database, statement)
    lasting.set(statement, fresh)
    return fresh
  }

  return {
    engine: sqlite,
    migrate,
    migrateCommand: `mintmark-migrate apply --sqlite ${/^[\w./:@+-]+$/.test(path) ? path : JSON.stringify(path)}`,

    async all(statement, parameters, lifetime = 'lasting') {
      const work = (): readonly SqlRow[] => prepare(statement, lifetime)(parameters)
      return isWrite.test(statement) ? runWrite(work) : converting(work)
    },

    async transact(steps) {
      return converting(() =>
        inTransaction(database, () => {
          let rows: readonly SqlRow[] = []
          for (const { statement, parameters, role } of steps) {
            rows = prepare(statement, 'lasting')(parameters)
            if (role === 'guard' && rows.length === 0) return { outcome: 'undone', value: undefined }
          }
          return { outcome: 'done', value: rows }
        }),
      )
    },

    // One connection that does one thing at a time: nobody waits with it.
    inLine: (_, work) => work(),

    async atomically(statements) {
      converting(() => {
        // A migration may sort as many rows as there are: in a file.
        database.exec('PRAGMA temp_store = DEFAULT')
        try {
          inTransaction(database, () => {
            for (const statement of statements) database.exec(statement)
            return { outcome: 'done', value: undefined }
          })
        } finally {
          database.exec(undoneInMemory)
        }
      })
    },

    async close() {
      // What waits to be written is written first.
      await setImmediate()
      lasting.clear()
      passing.clear()
      if (database.isOpen) database.close()
    },
  }
}

function open(path: string, synchronous: 'full' | 'normal'): DatabaseSync {
  return converting(() => {
    const database = new DatabaseSync(path)
    try {
      database.exec('PRAGMA busy_timeout = 5000')
      // Write-ahead log: readers and a writer do not wait for one another, and a killed process leaves whole transactions.
      const mode = database.prepare('PRAGMA journal_mode = WAL').get()
      if (path !== ':memory:' && mode?.['journal_mode'] !== 'wal') throw new StorageUnavailableError(noWal)
      database.exec(`PRAGMA synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'}`)
      database.exec('PRAGMA foreign_keys = ON')
      database.exec('PRAGMA trusted_schema = OFF')
      database.exec(undoneInMemory)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

/** Of a statement that begins in another way and writes, only the company is lost. */
const isWrite = /^(?:insert|update|delete) /i

/**
 * What one statement of a transaction has changed can be undone by itself; where triggers make it change sixteen pages SQLite
 * would keep them in a file, a new one each time. Nothing of it outlives the statement.
 */
const undoneInMemory = 'PRAGMA temp_store = MEMORY'

const noWal = 'The file system of the SQLite database cannot share it between processes (no write-ahead log)'

function converting<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asStorageError(error)
  }
}

/** Runs a statement that has been prepared. */
type RunPrepared = (parameters: readonly SqlValue[]) => readonly SqlRow[]

/**
 * Prepares a statement. Its columns are named once: an object with their names for each row takes more than twice as long as
 * the values alone.
 */
function prepareRows(database: DatabaseSync, statement: string): RunPrepared {
  const prepared = database.prepare(statement)
  if (!givesValues) return (parameters) => rowsByPlace(prepared.all(...bindable(parameters)))

  prepared.setReturnArrays(true)
  const places = placesOf(prepared.columns().map(({ name }) => name))
  return (parameters) => {
    // What `setReturnArrays` changes is not in the type of `all`.
    const rows = prepared.all(...bindable(parameters)) as unknown as readonly (readonly SQLOutputValue[])[]
    return rows.map((values) => ({ places, values }))
  }
}

/** The engine encodes flags as numbers. */
const bindable = (parameters: readonly SqlValue[]) => parameters as readonly Exclude<SqlValue, boolean>[]

/** Node.js 22.16 and later. */
const givesValues = 'setReturnArrays' in StatementSync.prototype
