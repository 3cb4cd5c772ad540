import { StorageUnavailableError } from '@mintmark/storage-interface'
import { UniqueViolationError } from '../unique-violation.ts'

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
