import { StorageUnavailableError } from '@mintmark/storage-interface'
import { UniqueViolationError } from '../dialect.ts'

/** A `Pool` of `pg`, or an object that behaves like one. */
export interface PostgresPool {
  connect(taken: (error: Error | undefined, client: PostgresClient | undefined) => void): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  /** Where the pool connects to. A pool of `pg` has these options. */
  readonly options?: {
    readonly host?: string | undefined
    readonly connectionString?: string | undefined
    /** The maximum number of connections. */
    readonly max?: number | undefined
  }
}

/** The members of a `pg` client that Mintmark uses. */
export interface PostgresClient {
  /**
   * The server process of the connection, by which its statement can be cancelled. `pg` sets it. A pooler answers with a number
   * of its own.
   */
  readonly processID?: number | null
  /** The connection below the client, which reports changes of the server's settings. `pg` has it. */
  readonly connection?: {
    on(event: 'parameterStatus', listener: (setting: PostgresSetting) => void): unknown
  }
  query(statement: PostgresStatement): Promise<PostgresResult>
  /** `true` closes the connection instead of returning it. */
  release(end?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** The value of a setting that the server reports by itself. */
interface PostgresSetting {
  readonly parameterName: string
  readonly parameterValue: string
}

export interface PostgresStatement {
  /** Statements with a name are prepared once on each connection. */
  readonly name?: string | undefined
  readonly text: string
  readonly values?: unknown[]
  /** Each row is a list of its values, not an object. */
  readonly rowMode?: 'array'
  /** Whether it is one of a fixed number of statements. */
  readonly isLasting?: boolean
}

export interface PostgresResult {
  readonly fields: readonly { readonly name: string }[]
  readonly rows: readonly unknown[]
}

/**
 * Takes a connection from the pool. The callback adds the error listener at once, because the server may close the
 * connection in the same turn; a promise would be too late.
 * @param timeoutMilliseconds how long to wait. A connection that arrives later is returned.
 * @throws the pool's error, or `TimedOutError`.
 */
export function takeConnection(pool: PostgresPool, timeoutMilliseconds?: number): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const alarm = (): void => {
      isLate = true
      reject(new TimedOutError())
    }
    const timer = timeoutMilliseconds === undefined ? undefined : setTimeout(alarm, timeoutMilliseconds)

    pool.connect((error, client) => {
      clearTimeout(timer)
      client?.on('error', ignoreError)
      if (client === undefined) reject(error ?? new Error('There is no connection'))
      else if (isLate) giveBack(client, { isSound: true })
      else resolve(client)
    })
  })
}

/**
 * Finds connections to a server that is no longer the primary, because a read on them could return old data, and connections
 * to a pooler.
 */
export interface ConnectionWatch {
  /** Marks every connection that was taken before as outdated, because a write on one of them was refused. */
  abandon(): void
  isOutdated(client: PostgresClient): boolean
  /** Whether the server was read-only when the connection was inspected, or has reported that it has become so. */
  isReadOnly(client: PostgresClient): boolean
  /** Whether the connection has been inspected. */
  isKnown(client: PostgresClient): boolean
  /**
   * Whether a pooler is between this process and the server, so that each transaction may run in another server process. The
   * server then has none with the number that the connection has.
   */
  hasPooler(client: PostgresClient): boolean
  /** Asks whether the server is read-only, and from then on listens to its reports on this connection. */
  inspect(client: PostgresClient): Promise<void>
}

export function watchConnections(): ConnectionWatch {
  const known = new WeakMap<PostgresClient, Inspection>()
  let changes = 0

  return {
    abandon: () => void (changes += 1),

    isOutdated(client) {
      const inspection = known.get(client)
      return inspection !== undefined && (inspection.takenIn < changes || inspection.isReadOnly)
    },

    isReadOnly: (client) => known.get(client)?.isReadOnly === true,

    isKnown: (client) => known.has(client),

    hasPooler: (client) => known.get(client)?.hasPooler === true,

    async inspect(client) {
      const inspection: Inspection = { takenIn: changes, isReadOnly: false, hasPooler: false }
      known.set(client, inspection)
      if (client.connection === undefined) return
      client.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
        if (readOnlySettings.has(parameterName)) inspection.isReadOnly = parameterValue === 'on'
      })
      const { rows } = await client.query({ text: inspect, rowMode: 'array' })
      const [[value, processId] = []] = rows as readonly (readonly unknown[])[]
      inspection.hasPooler = String(client.processID ?? processId) !== String(processId)
      if (value === 'on') inspection.isReadOnly = true
    },
  }
}

interface Inspection {
  /** How often connections had been abandoned before. */
  readonly takenIn: number
  isReadOnly: boolean
  hasPooler: boolean
}

const inspect = `SELECT current_setting('transaction_read_only'), pg_backend_pid()`

/** PostgreSQL reports a change of these settings on each connection, with the answer to its next statement. */
const readOnlySettings: ReadonlySet<string> = new Set(['default_transaction_read_only', 'in_hot_standby'])

/** Returns a connection to the pool, or closes it if it is unsound. */
export function giveBack(client: PostgresClient, { isSound }: { readonly isSound: boolean }): void {
  client.off('error', ignoreError)
  client.release(!isSound)
}

/**
 * Without a listener an `error` event would end the process. The statement in progress reports a broken connection; for
 * an idle one there is nothing to report, and the pool makes another.
 */
export function ignoreError(): void {}

/**
 * The server is a standby, or was the primary until a moment ago. It lacks what was written on the primary since, and may have
 * writes that were never confirmed and will be lost, so no read of it may decide anything.
 */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError'

  constructor() {
    super('the server is read-only, so it is not the primary')
  }
}

/** No turn, no connection or no answer came in time. */
export class TimedOutError extends Error {
  override readonly name = 'TimedOutError'

  constructor() {
    super('it took too long')
  }
}

/** Waits for the work, but not longer than the given time. @throws TimedOutError; the work goes on. */
export function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  // `Promise.race` would create twice as many promises, and this wraps every statement.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimedOutError()), milliseconds)
    untilDone(work, timer).then(resolve, reject)
  })
}

async function untilDone<T>(work: Promise<T>, timer: NodeJS.Timeout): Promise<T> {
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/**
 * What a driver error means for the statement.
 * - `conflict`: the server rolled it back because of another transaction. It may run again.
 * - `refused`: the server reports that it did not run the statement.
 * - `read_only`: the server did not run it, because it is a standby now. Another connection may reach the primary.
 * - `lost`: the connection broke. Whether the server ran it is unknown.
 * - `unsent`: the connection was already broken, so the server has not received the statement.
 * - `late`: no connection, or no answer, came in time.
 * - `duplicate`: it would have duplicated a key.
 * - `mistake`: the statement is wrong.
 */
export type PostgresFailure =
  'conflict' | 'refused' | 'read_only' | 'lost' | 'unsent' | 'late' | 'duplicate' | 'mistake'

/**
 * Converts outages to `StorageUnavailableError` and a duplicate key to `UniqueViolationError`. Returns the error of a wrong
 * statement unchanged.
 */
export function asStorageError(failure: PostgresFailure, cause: unknown): unknown {
  if (failure === 'mistake') return cause
  if (failure === 'duplicate')
    return new UniqueViolationError('The PostgreSQL database already has a row with that key', { cause })
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StorageUnavailableError(`The PostgreSQL database cannot answer now: ${reason}`, { cause })
}

export function failureOf(thrown: unknown): PostgresFailure {
  if (!(thrown instanceof Error)) return 'mistake'
  // Operating system errors name the system call that failed. The driver's own errors have no code at all.
  if ('syscall' in thrown || connectionLost.test(thrown.message)) return 'lost'
  if (thrown.message.startsWith('Client has encountered a connection error')) return 'unsent'
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
  return sqlState.test(code) ? failureOfSqlState(code) : 'mistake'
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
function failureOfSqlState(code: string): PostgresFailure {
  if (code === '40001' || code === '40P01') return 'conflict' // serialization_failure, deadlock_detected
  if (code === '23505') return 'duplicate' // unique_violation
  // These include shutdowns that the server announces: they may arrive after the commit, before its confirmation.
  if (code.startsWith('08') || code.startsWith('57P')) return 'lost'
  if (code === '25006') return 'read_only' // read_only_sql_transaction
  return refusals.some((beginning) => code.startsWith(beginning)) ? 'refused' : 'mistake'
}

const refusals = [
  '53', // Insufficient resources: disk full, out of memory, too many connections.
  '55P03', // lock_not_available: `lock_timeout` has passed.
  '57014', // query_canceled: `statement_timeout` has passed.
  '58', // System error: the disk cannot be read or written.
  'XX001', // data_corrupted
  'XX002', // index_corrupted
]

const sqlState = /^[0-9A-Z]{5}$/

const connectionLost = /^(Connection terminated|Query read timeout|Client was closed)/
