import {
  clientId,
  epochSeconds,
  familyId,
  secretDigest,
  type JsonObject,
  type OpaqueTokenRecord,
} from '@mintmark/storage-interface'
import { json, orNull, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { optionalTime } from './optional-time.ts'

export const opaqueTokenColumns = [
  'issuer',
  'digest',
  'client_id',
  'family_id',
  'claims',
  'expires_at',
  'revoked_at',
] as const

export const opaqueTokenRow = (
  token: OpaqueTokenRecord,
): Omit<Record<(typeof opaqueTokenColumns)[number], SqlValue>, 'issuer'> => ({
  digest: token.digest,
  client_id: token.clientId,
  family_id: orNull(token.familyId),
  claims: json(token.claims),
  expires_at: token.expiresAt,
  revoked_at: orNull(token.revokedAt),
})

export const opaqueTokenReader =
  (read: ColumnReader) =>
  (row: SqlRow): OpaqueTokenRecord => {
    const family = read.optionalText(row, 'family_id')
    return {
      digest: secretDigest(read.text(row, 'digest')),
      clientId: clientId(read.text(row, 'client_id')),
      familyId: family === undefined ? undefined : familyId(family),
      claims: read.json(row, 'claims') as JsonObject,
      expiresAt: epochSeconds(read.integer(row, 'expires_at')),
      revokedAt: optionalTime(read.optionalInteger(row, 'revoked_at')),
    }
  }
