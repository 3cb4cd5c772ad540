import { setTimeout as pause } from 'node:timers/promises'
import { checkOptions, oneOf, wholeNumber } from '@mintmark/internal'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { createWriteQueues, type SqlDialect, type SqlRow, type SqlStep } from '../dialect.ts'
import { toIndexByColumn } from '../row.ts'
import {
  asStorageError,
  failureOf,
  type MariadbConnection,
  type MariadbFailure,
  type MariadbPool,
  type MariadbResult,
  send,
  takeConnection,
} from './connection.ts'
import { mariadb } from './engine.ts'

/** Options of `toMariadbDialect`. */
export interface MariadbDialectOptions {
  /**
   * `on-open`: the storage applies pending migrations when it opens, for development. `by-command`: it fails with the command to run.
   * @defaultValue `by-command`. In production an operator decides when a schema changes.
   */
  readonly migrate?: 'by-command' | 'on-open'
  /**
   * How long a statement may wait for a lock or run, in the server.
   * @defaultValue 5000. A statement takes a millisecond; after seconds the caller has given up.
   */
  readonly timeoutMilliseconds?: number
}

/**
 * Uses a MariaDB database through a pool of `mysql2` that only Mintmark uses: each connection gets the SQL mode and the isolation
 * level READ COMMITTED. The host ends the pool. It must lead to the primary.
 */
export function toMariadbDialect(pool: MariadbPool, options: MariadbDialectOptions = {}): SqlDialect {
  checkOptions('toMariadbDialect', options, {
    migrate: oneOf('by-command', 'on-open'),
    timeoutMilliseconds: wholeNumber(1),
  })
  const { migrate = 'by-command', timeoutMilliseconds = 5000 } = options
  const withConnection = createConnections(pool, timeoutMilliseconds)
  const read = createResultReader()
  let isOpen = true

  function requireOpen(): void {
    if (!isOpen) throw new StorageUnavailableError('The storage has been closed')
  }

  return {
    engine: mariadb,
    migrate,
    migrateCommand: 'mintmark-migrate apply --mariadb URL',

    async all(statement, parameters) {
      requireOpen()
      const isRead = /^select\b/i.test(statement)
      const result = await retry(
        () => withConnection((connection) => send(connection, statement, parameters)),
        (failure) => failure === 'lost' && isRead,
      )
      return read(result, statement)
    },

    async transact(steps) {
      requireOpen()
      let isCommitting = false
      const result = await retry(
        () => {
          isCommitting = false
          return withConnection((connection) =>
            inTransaction(
              connection,
              () => sendInOrder(connection, steps),
              () => (isCommitting = true),
            ),
          )
        },
        (failure) => failure === 'lost' && !isCommitting,
      )
      const last = steps.at(-1)
      return result && last && read(result, last.statement)
    },

    oneAtATime: createWriteQueues(timeoutMilliseconds),

    async atomically(statements) {
      requireOpen()
      // MariaDB commits each change of the schema at once, so there is no transaction to repeat.
      await once(() => withConnection((connection) => runAlone(connection, statements)))
    },

    async close() {
      isOpen = false
    },
  }
}

/** Runs the statements while no other process does so. */
async function runAlone(connection: MariadbConnection, statements: readonly string[]): Promise<void> {
  await send(connection, `SELECT GET_LOCK('mintmark_migrations', 3600)`)
  try {
    for (const statement of statements) await send(connection, statement)
  } finally {
    await send(connection, `SELECT RELEASE_LOCK('mintmark_migrations')`)
  }
}

type WithConnection = <T>(work: (connection: MariadbConnection) => Promise<T>) => Promise<T>

/** The settings of each connection. READ COMMITTED: a statement after a lock sees what the last holder of the lock committed. */
const settings = (timeoutMilliseconds: number): readonly string[] => [
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,ANSI_QUOTES,PIPES_AS_CONCAT,SIMULTANEOUS_ASSIGNMENT',
  NAMES utf8mb4 COLLATE utf8mb4_nopad_bin, innodb_lock_wait_timeout = ${Math.ceil(timeoutMilliseconds / 1000)}`,
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
]

/** Returns a function that runs work on a connection of the pool. A connection on which it failed is closed. */
function createConnections(pool: MariadbPool, timeoutMilliseconds: number): WithConnection {
  const prepared = new WeakSet<MariadbConnection>()

  return async (work) => {
    const connection = await takeConnection(pool, timeoutMilliseconds)
    try {
      if (!prepared.has(connection)) {
        requireMariadb(await send(connection, 'SELECT version()'))
        for (const setting of settings(timeoutMilliseconds)) await send(connection, setting)
        prepared.add(connection)
      }
      const answer = await work(connection)
      connection.release()
      return answer
    } catch (error) {
      // A duplicate key and a conflict leave the connection sound: the server has rolled back, or nothing was begun.
      if (isSound(error)) connection.release()
      else connection.destroy()
      throw error
    }
  }
}

const isSound = (error: unknown): boolean => ['duplicate', 'conflict'].includes(failureOf(error))

/**
 * MySQL has no `INSERT … RETURNING`, and evaluates the assignments of an update one after the other.
 * @throws TypeError
 */
function requireMariadb({ rows: [row] }: MariadbResult): void {
  const [version] = row ?? []
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)\.\d+-MariaDB/.exec(String(version)) ?? []
  if (Number(major) * 100 + Number(minor) < 1011)
    throw new TypeError(`toMariadbDialect needs MariaDB 10.11 or later, and the server is ${String(version)}.`)
}

async function inTransaction(
  connection: MariadbConnection,
  work: () => Promise<MariadbResult | undefined>,
  beforeCommit: () => void = () => {},
): Promise<MariadbResult | undefined> {
  await send(connection, 'START TRANSACTION')
  try {
    const answer = await work()
    if (answer !== undefined) beforeCommit()
    await send(connection, answer === undefined ? 'ROLLBACK' : 'COMMIT')
    return answer
  } catch (error) {
    // A lock that was not granted ends only the statement. If the rollback fails, the connection is closed.
    await send(connection, 'ROLLBACK').catch(() => connection.destroy())
    throw error
  }
}

async function sendInOrder(
  connection: MariadbConnection,
  steps: readonly SqlStep[],
): Promise<MariadbResult | undefined> {
  let result: MariadbResult = { rows: [], columns: [] }
  for (const { statement, parameters, role } of steps) {
    result = await send(connection, statement, parameters)
    if (role === 'guard' && result.rows.length === 0) return undefined
  }
  return result
}

/**
 * Retries after failures that left nothing behind, and after others if `mayRepeat` allows it.
 * @throws StorageUnavailableError, UniqueViolationError, or the error of a wrong statement.
 */
async function retry<T>(attempt: () => Promise<T>, mayRepeat: (failure: MariadbFailure) => boolean): Promise<T> {
  for (let count = 0; ; count += 1) {
    try {
      return await attempt()
    } catch (error) {
      const failure = failureOf(error)
      const delay = delays[count]
      const isHarmless = ['conflict', 'unsent', 'read_only'].includes(failure) || mayRepeat(failure)
      if (!isHarmless || delay === undefined) throw asStorageError(failure, error)
      await pause(delay)
    }
  }
}

/** @throws StorageUnavailableError, UniqueViolationError, or the error of a wrong statement. */
async function once<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    throw asStorageError(failureOf(error), error)
  }
}

/** Milliseconds between attempts. */
const delays = [10, 50, 250, 500]

/** Returns a reader that keeps the positions of the columns of each statement. */
function createResultReader(): (result: MariadbResult, statement: string) => readonly SqlRow[] {
  const known = new Map<string, SqlRow['indexByColumn']>()

  return ({ rows, columns }, statement) => {
    const indexByColumn = known.get(statement) ?? toIndexByColumn(columns)
    if (rows.length > 0) known.set(statement, indexByColumn)
    return rows.map((values) => ({ indexByColumn, values: values.map(decodeValue) }))
  }
}

/** Keys are binary strings, whose values the driver returns as buffers. */
const decodeValue = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString('utf8') : value)
