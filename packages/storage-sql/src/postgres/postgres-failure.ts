import { StorageUnavailableError } from '@mintmark/storage-interface'
import { UniqueViolationError } from '../unique-violation.ts'

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
