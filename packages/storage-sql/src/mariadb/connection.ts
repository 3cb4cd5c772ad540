import { StorageUnavailableError } from '@mintmark/storage-interface'
import { UniqueViolationError } from '../dialect.ts'

/** The pool of `mysql2` in callback form (`createPool` of the package `mysql2`), or an object that behaves like one. */
export interface MariadbPool {
  getConnection(taken: (error: Error | null, connection: MariadbConnection) => void): void
  readonly config?: { readonly connectionLimit?: number | undefined }
}

/** The members of a connection of `mysql2` that Mintmark uses. */
export interface MariadbConnection {
  execute(statement: MariadbStatement, answered: MariadbAnswer): unknown
  query(statement: MariadbStatement, answered: MariadbAnswer): unknown
  /** Forgets a statement that `execute` has prepared. */
  unprepare(statement: MariadbStatement | string): unknown
  release(): void
  destroy(): void
}

interface MariadbStatement {
  readonly sql: string
  readonly values?: unknown[]
  /** Each row is a list of its values, not an object. */
  readonly rowsAsArray: true
}

/** `rows` is a list if the statement returns rows. */
type MariadbAnswer = (error: Error | null, rows: unknown, fields: unknown) => void

export interface MariadbResult {
  readonly rows: readonly (readonly unknown[])[]
  readonly columns: readonly string[]
}

/**
 * What a driver error means for the statement.
 * - `conflict`: the server rolled the transaction back because of another one. It may run again.
 * - `read_only`: the server did not run it, because it is a replica now, or no longer in the majority of a cluster.
 * - `refused`: the server reports that it did not run the statement.
 * - `lost`: the connection broke. Whether the server ran it is unknown.
 * - `unsent`: there was no connection.
 * - `duplicate`: it would have duplicated a key.
 * - `mistake`: the statement is wrong.
 */
export type MariadbFailure = 'conflict' | 'read_only' | 'refused' | 'lost' | 'unsent' | 'duplicate' | 'mistake'

/** https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const failures: ReadonlyMap<number, MariadbFailure> = new Map([
  [1213, 'conflict'], // ER_LOCK_DEADLOCK
  [1020, 'conflict'], // ER_CHECKREAD: the row has changed since the snapshot was made.
  [1205, 'refused'], // ER_LOCK_WAIT_TIMEOUT
  [1290, 'read_only'], // ER_OPTION_PREVENTS_STATEMENT: --read-only
  [1836, 'read_only'], // ER_READ_ONLY_MODE
  [1792, 'read_only'], // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  [1047, 'read_only'], // ER_UNKNOWN_COM_ERROR: this node of Galera is not in the majority, or not yet.
  [1062, 'duplicate'], // ER_DUP_ENTRY
  [1021, 'refused'], // ER_DISK_FULL
  [1114, 'refused'], // ER_RECORD_FILE_FULL
  [1317, 'refused'], // ER_QUERY_INTERRUPTED
  [1969, 'refused'], // ER_STATEMENT_TIMEOUT
  [1040, 'unsent'], // ER_CON_COUNT_ERROR
  [1053, 'lost'], // ER_SERVER_SHUTDOWN
  [1180, 'lost'], // ER_ERROR_DURING_COMMIT
  [1927, 'lost'], // ER_CONNECTION_KILLED
  [2006, 'lost'], // CR_SERVER_GONE_ERROR
  [2013, 'lost'], // CR_SERVER_LOST
  [4031, 'lost'], // The server closed an idle connection.
])

export function failureOf(thrown: unknown): MariadbFailure {
  if (!(thrown instanceof Error)) return 'mistake'
  if (thrown instanceof NoConnectionError) return 'unsent'
  if (thrown instanceof ReadOnlyServerError) return 'read_only'
  if ('errno' in thrown && typeof thrown.errno === 'number') {
    const failure = failures.get(thrown.errno)
    if (failure !== undefined) return failure
  }
  // Operating system errors name the system call that failed. The driver's own errors have a code.
  if ('syscall' in thrown) return 'lost'
  if ('fatal' in thrown && thrown.fatal === true) return 'lost'
  return 'mistake'
}

/**
 * Converts outages to `StorageUnavailableError` and a duplicate key to `UniqueViolationError`. Returns the error of a wrong
 * statement unchanged.
 */
export function asStorageError(failure: MariadbFailure, cause: unknown): unknown {
  if (failure === 'mistake') return cause
  if (failure === 'duplicate')
    return new UniqueViolationError('The MariaDB database already has a row with that key', { cause })
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StorageUnavailableError(`The MariaDB database cannot answer now: ${reason}`, { cause })
}

/** Sends a statement. One with values is prepared on the connection. @throws the driver's error */
export function send(connection: MariadbConnection, sql: string, values?: readonly unknown[]): Promise<MariadbResult> {
  return new Promise((resolve, reject) => {
    const answered: MariadbAnswer = (error, rows, fields) => {
      if (error !== null) reject(error)
      else resolve(resultOf(rows, fields))
    }
    if (values === undefined) connection.query({ sql, rowsAsArray: true }, answered)
    else connection.execute({ sql, values: [...values], rowsAsArray: true }, answered)
  })
}

function resultOf(rows: unknown, fields: unknown): MariadbResult {
  if (!Array.isArray(rows) || !Array.isArray(fields)) return { rows: [], columns: [] }
  return { rows, columns: fields.map(({ name }: { readonly name: string }) => name) }
}

/**
 * Takes a connection from the pool. A connection that comes too late is returned.
 * @throws NoConnectionError
 */
export const takeConnection = (pool: MariadbPool, timeoutMilliseconds: number): Promise<MariadbConnection> =>
  new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new NoConnectionError('no connection became free in time'))
    }, timeoutMilliseconds)

    pool.getConnection((error, connection) => {
      clearTimeout(timer)
      if (error !== null) reject(new NoConnectionError(error.message, { cause: error }))
      else if (isLate) connection.release()
      else resolve(connection)
    })
  })

/** The statement was not sent, because there was no connection. */
class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError'
}

/**
 * The server is a replica, or was the primary until a moment ago. It lacks what was written on the primary since, so no read of it
 * may decide anything.
 */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError'

  constructor() {
    super('the server is read-only, so it is not the primary')
  }
}
