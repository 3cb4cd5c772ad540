import { setTimeout as pause } from 'node:timers/promises'
import { checkOptions, oneOf, wholeNumber } from '@mintmark/internal'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { type SqlDialect, type SqlRow, type SqlStep, type SqlValue, type StatementLifetime } from '../dialect.ts'
import { createWriteQueues } from '../write-queues.ts'
import { createFairTurns, type FairTurns } from '../fair-turns.ts'
import { toIndexByColumn } from '../row.ts'
import { untilAborted } from '../until-aborted.ts'
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
import { prepareSession } from './session.ts'

/** Options of `toMariadbDialect`. */
export interface MariadbDialectOptions {
  /**
   * `on-open`: the storage applies pending migrations when it opens, for development. `by-command`: it fails with the command to run.
   * @defaultValue `by-command`. In production an operator decides when a schema changes.
   */
  readonly migrate?: 'by-command' | 'on-open'
  /**
   * How long a statement may wait for a connection, and then for a lock, in the server.
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
  const turns = {
    long: createLongTurns(pool, timeoutMilliseconds),
    passing: createLongTurns(pool, timeoutMilliseconds),
  }
  const read = createResultReader()
  let isOpen = true

  function requireOpen(): void {
    if (!isOpen) throw new StorageUnavailableError('The storage has been closed')
  }

  return {
    engine: mariadb,
    migrate,
    migrateCommand: 'npx mintmark-migrate apply --mariadb URL',

    async all(statement, parameters, { lifetime = 'lasting', owner = '', signal } = {}) {
      requireOpen()
      signal?.throwIfAborted()
      const isRead = /^(select|with)\b/i.test(statement)
      const run = (): Promise<MariadbResult> =>
        retry(
          () => withConnection((connection) => sendFor(connection, { statement, parameters, lifetime })),
          (failure) => failure === 'lost' && isRead,
        )
      // A query whose caller has left keeps its turn until it ends. The limit of a list bounds its work.
      const running = lifetime === 'lasting' ? run() : turns[lifetime]({ owner, signal }, run)
      const result = await (signal === undefined ? running : untilAborted(running, signal))
      return read(result, statement, lifetime)
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
      return result && last && read(result, last.statement, 'lasting')
    },

    oneAtATime: createWriteQueues(timeoutMilliseconds),

    async atomically(statements) {
      requireOpen()
      const run = (): Promise<void> => withConnection((connection) => runAlone(connection, statements))
      await (statements.some(changesSchema) ? once(run) : retry(run, () => false))
    },

    async close() {
      isOpen = false
    },
  }
}

/**
 * Queries that may read many rows use at most a quarter of the pool for pages, and a quarter for searches. The rest of the
 * pool stays free for statements that take a millisecond.
 */
const createLongTurns = ({ config }: MariadbPool, timeoutMilliseconds: number): FairTurns =>
  createFairTurns({
    atOnce: Math.max(1, Math.floor((config?.connectionLimit ?? defaultPoolSize) / 4)),
    timeout: {
      milliseconds: timeoutMilliseconds,
      error: () => new StorageUnavailableError('Earlier searches take too long'),
    },
  })

/** The default of `mysql2`. */
const defaultPoolSize = 10

/** MariaDB commits each change of the schema at once, so a transaction with one cannot be repeated. */
const changesSchema = (statement: string): boolean => !/^\s*(select|insert|update|delete)\b/i.test(statement)

/**
 * Runs the statements in one transaction, while no other process does so. SERIALIZABLE: rows that the
 * statements read are locked, and so is the space between them, in which another transaction could insert a row.
 */
async function runAlone(connection: MariadbConnection, statements: readonly string[]): Promise<void> {
  await send(connection, `SELECT GET_LOCK('mintmark_migrations', 3600)`)
  try {
    await send(connection, 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE')
    await inTransaction(connection, async () => {
      for (const statement of statements) await send(connection, statement)
      return { rows: [], columns: [] }
    })
  } finally {
    await send(connection, `SELECT RELEASE_LOCK('mintmark_migrations')`)
  }
}

/** Sends a statement. A connection keeps it prepared, unless it is one of very many. */
async function sendFor(
  connection: MariadbConnection,
  {
    statement,
    parameters,
    lifetime,
  }: {
    readonly statement: string
    readonly parameters: readonly SqlValue[]
    readonly lifetime: StatementLifetime
  },
): Promise<MariadbResult> {
  try {
    return await send(connection, statement, parameters)
  } finally {
    if (lifetime === 'passing') connection.unprepare({ sql: statement, rowsAsArray: true })
  }
}

type WithConnection = <T>(work: (connection: MariadbConnection) => Promise<T>) => Promise<T>

/** Returns a function that runs work on a connection of the pool. A connection on which it failed is closed. */
function createConnections(pool: MariadbPool, timeoutMilliseconds: number): WithConnection {
  let prepared = new WeakSet<MariadbConnection>()

  return async (work) => {
    const connection = await takeConnection(pool, timeoutMilliseconds)
    try {
      if (!prepared.has(connection)) {
        await prepareSession(connection, timeoutMilliseconds)
        prepared.add(connection)
      }
      const answer = await work(connection)
      connection.release()
      return answer
    } catch (error) {
      // Every other connection leads to the same server, which may be a replica now: it is asked again.
      if (failureOf(error) === 'read_only') prepared = new WeakSet()
      // A duplicate key and a conflict leave the connection sound: the server has rolled back, or nothing was begun.
      if (isSound(error)) connection.release()
      else connection.destroy()
      throw error
    }
  }
}

const isSound = (error: unknown): boolean => ['duplicate', 'conflict'].includes(failureOf(error))

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

/** Returns a reader that keeps the positions of the columns of each statement, unless it is one of very many. */
function createResultReader(): (
  result: MariadbResult,
  statement: string,
  lifetime: StatementLifetime,
) => readonly SqlRow[] {
  const known = new Map<string, SqlRow['indexByColumn']>()

  return ({ rows, columns }, statement, lifetime) => {
    const indexByColumn = known.get(statement) ?? toIndexByColumn(columns)
    if (rows.length > 0 && lifetime !== 'passing') known.set(statement, indexByColumn)
    return rows.map((values) => ({ indexByColumn, values: values.map(decodeValue) }))
  }
}

/** Keys are binary strings, whose values the driver returns as buffers. */
const decodeValue = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString('utf8') : value)
