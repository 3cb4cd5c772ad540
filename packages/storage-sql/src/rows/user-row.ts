import { epochSeconds, userId, type JsonObject, type UserRecord } from '@mintmark/storage-interface'
import type { ColumnReader } from '../row.ts'
import type { SqlRow } from '../dialect.ts'

export const userColumns = [
  'issuer',
  'user_id',
  'active',
  'generation',
  'claims',
  'created_at',
  'updated_at',
  'version',
  // A removed account stays as a tombstone, so that its identifier is never given to another person.
  'removed_at',
] as const

/** The columns of a record. */
export const userRecordColumns = userColumns.filter((column) => column !== 'issuer' && column !== 'removed_at')

export function userReader(read: ColumnReader) {
  const account = accountReader(read)
  return (row: SqlRow): UserRecord => ({ ...account(row), claims: read.json(row, 'claims') as JsonObject })
}

/** What is read of an account where nobody asks for its claims. */
export const accountReader =
  (read: ColumnReader) =>
  (row: SqlRow): Omit<UserRecord, 'claims'> => ({
    userId: userId(read.text(row, 'user_id')),
    active: read.flag(row, 'active'),
    generation: read.integer(row, 'generation'),
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    updatedAt: epochSeconds(read.integer(row, 'updated_at')),
    version: read.integer(row, 'version'),
  })
