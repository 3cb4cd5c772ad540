import { epochSeconds, keyId, type JsonObject, type SigningKeyRecord } from '@mintmark/storage-interface'
import { json, type ColumnReader } from '../columns.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'

export const signingKeyColumns = [
  'issuer',
  'key_id',
  'algorithm',
  'ordinal',
  'public_jwk',
  'sealed_private_jwk',
  'sealing_key_id',
  'created_at',
] as const

export const signingKeyRow = (
  key: SigningKeyRecord,
): Omit<Record<(typeof signingKeyColumns)[number], SqlValue>, 'issuer'> => ({
  key_id: key.keyId,
  algorithm: key.algorithm,
  ordinal: key.ordinal,
  public_jwk: json(key.publicJwk),
  sealed_private_jwk: key.sealedPrivateJwk,
  sealing_key_id: key.sealingKeyId,
  created_at: key.createdAt,
})

export const signingKeyReader =
  (read: ColumnReader) =>
  (row: SqlRow): SigningKeyRecord => ({
    keyId: keyId(read.text(row, 'key_id')),
    algorithm: read.text(row, 'algorithm'),
    ordinal: read.integer(row, 'ordinal'),
    publicJwk: read.json(row, 'public_jwk') as JsonObject,
    sealedPrivateJwk: read.text(row, 'sealed_private_jwk'),
    sealingKeyId: read.text(row, 'sealing_key_id'),
    createdAt: epochSeconds(read.integer(row, 'created_at')),
  })
