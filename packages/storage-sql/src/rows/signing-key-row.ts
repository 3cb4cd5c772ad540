import { epochSeconds, keyId, type JsonObject, type SigningKeyRecord } from '@mintmark/storage-interface'
import { json, orNull, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { optionalTime } from './optional-time.ts'

export const signingKeyColumns = [
  'issuer',
  'key_id',
  'algorithm',
  'ordinal',
  'public_jwk',
  'vault_entry',
  'created_at',
  'signs_from',
  'dropped_at',
] as const

export const signingKeyRow = (
  key: SigningKeyRecord,
): Omit<Record<(typeof signingKeyColumns)[number], SqlValue>, 'issuer'> => ({
  key_id: key.keyId,
  algorithm: key.algorithm,
  ordinal: key.ordinal,
  public_jwk: json(key.publicJwk),
  vault_entry: key.vaultEntry,
  created_at: key.createdAt,
  signs_from: key.signsFrom,
  dropped_at: orNull(key.droppedAt),
})

export const signingKeyReader =
  (read: ColumnReader) =>
  (row: SqlRow): SigningKeyRecord => ({
    keyId: keyId(read.text(row, 'key_id')),
    algorithm: read.text(row, 'algorithm'),
    ordinal: read.integer(row, 'ordinal'),
    publicJwk: read.json(row, 'public_jwk') as JsonObject,
    vaultEntry: read.text(row, 'vault_entry'),
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    signsFrom: epochSeconds(read.integer(row, 'signs_from')),
    droppedAt: optionalTime(read.optionalInteger(row, 'dropped_at')),
  })
