import { StorageUnavailableError } from '@mintmark/storage-interface'
import { UniqueViolationError } from '../dialect.ts'

/** A `Pool` of `pg`, or what behaves like one. */
export interface PostgresPool {
  connect(taken: (error: Error | undefined, client: PostgresClient | undefined) => void): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** What is used of a connection of `pg`. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresResult>
  /** `true` ends the connection instead of giving it back. */
  release(end?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

export interface PostgresStatement {
  /** Statements of one name are prepared once for each connection. */
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
  /** Each row is the list of its values, and no object by the names of its columns. */
  readonly rowMode?: 'array'
}

export interface PostgresResult {
  readonly fields: readonly { readonly name: string }[]
  readonly rows: readonly unknown[]
}

/**
 * Takes a connection. The server may end it in the same breath in which it is made: it is listened to from the first
 * moment, which a promise would miss.
 * @param timeoutMilliseconds how long to wait for it; one that comes later goes back.
 * @throws what the pool gives, or `Late`.
 */
export function takeConnection(pool: PostgresPool, timeoutMilliseconds?: number): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const alarm = (): void => {
      isLate = true
      reject(new Late())
    }
    const timer = timeoutMilliseconds === undefined ? undefined : setTimeout(alarm, timeoutMilliseconds)

    pool.connect((error, client) => {
      clearTimeout(timer)
      client?.on('error', heardElsewhere)
      if (client === undefined) reject(error ?? new Error('There is no connection'))
      else if (isLate) giveBack(client, { isSound: true })
      else resolve(client)
    })
  })
}

/** Gives a connection back; one that is not sound is ended. */
export function giveBack(client: PostgresClient, { isSound }: { readonly isSound: boolean }): void {
  client.off('error', heardElsewhere)
  client.release(!isSound)
}

/**
 * Unheard, an `error` event would end the process. Of a connection in use the statement tells that it broke, of an idle
 * one nothing needs to be told: the pool makes another.
 */
export function heardElsewhere(): void {}

/** There was no turn, no connection, or no answer, in time. */
export class Late extends Error {
  override readonly name = 'Late'

  constructor() {
    super('it took too long')
  }
}

/** What the work comes to, unless it takes too long. @throws Late; the work goes on. */
export function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  // Not a race, which makes twice as many promises: this stands around every statement.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Late()), milliseconds)
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
 * What an error of the driver means for the statement that met it.
 * - `conflict`: the server undid it because of another transaction. It may be run again.
 * - `refused`: the server did not carry it out, and says so.
 * - `lost`: the connection broke. Whether the server carried it out is not known.
 * - `unsent`: there was no sound connection: the server has not seen it.
 * - `late`: there was no connection, or no answer, in time.
 * - `duplicate`: it would have made two rows of one key.
 * - `mistake`: it is wrong, and stays wrong.
 */
export type PostgresFailure = 'conflict' | 'refused' | 'lost' | 'unsent' | 'late' | 'duplicate' | 'mistake'

/** Turns "not now" into `StorageUnavailableError`, and a duplicate into `UniqueViolation`; a mistake of ours stays what it is. */
export function asStorageError(failure: PostgresFailure, cause: unknown): unknown {
  if (failure === 'mistake') return cause
  if (failure === 'duplicate')
    return new UniqueViolationError('The PostgreSQL database has a row of that key', { cause })
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StorageUnavailableError(`The PostgreSQL database cannot answer now: ${reason}`, { cause })
}

export function failureOf(thrown: unknown): PostgresFailure {
  if (!(thrown instanceof Error)) return 'mistake'
  // The operating system's errors carry the call that failed; those of the driver itself have no code at all.
  if ('syscall' in thrown || connectionLost.test(thrown.message)) return 'lost'
  if (thrown.message.startsWith('Client has encountered a connection error')) return 'unsent'
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
  return sqlState.test(code) ? failureOfSqlState(code) : 'mistake'
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
function failureOfSqlState(code: string): PostgresFailure {
  if (code === '40001' || code === '40P01') return 'conflict' // serialization_failure, deadlock_detected
  if (code === '23505') return 'duplicate' // unique_violation
  // Also the ends that the server announces: they may come after the commit, where it no longer told us of it.
  if (code.startsWith('08') || code.startsWith('57P')) return 'lost'
  return refusals.some((beginning) => code.startsWith(beginning)) ? 'refused' : 'mistake'
}

const refusals = [
  '25006', // read_only_sql_transaction: what was the primary is a standby now.
  '53', // Insufficient resources: disk full, out of memory, too many connections.
  '55P03', // lock_not_available: `lock_timeout` has passed.
  '57014', // query_canceled: `statement_timeout` has passed.
  '58', // System error: the disk cannot be read or written.
  'XX001', // data_corrupted
  'XX002', // index_corrupted
]

const sqlState = /^[0-9A-Z]{5}$/

const connectionLost = /^(Connection terminated|Query read timeout|Client was closed)/
