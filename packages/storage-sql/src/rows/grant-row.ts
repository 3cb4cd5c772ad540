import { clientId, epochSeconds, grantId, userId, type GrantRecord } from '@mintmark/storage-interface'
import { json, orNull, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { optionalTime } from './optional-time.ts'

export const grantColumns = [
  'issuer',
  'grant_id',
  'client_id',
  'user_id',
  'user_generation',
  'scopes',
  'created_at',
  'revoked_at',
  'version',
] as const

export const grantRow = (grant: GrantRecord): Omit<Record<(typeof grantColumns)[number], SqlValue>, 'issuer'> => ({
  grant_id: grant.grantId,
  client_id: grant.clientId,
  user_id: grant.userId,
  user_generation: grant.userGeneration,
  scopes: json(grant.scopes),
  created_at: grant.createdAt,
  revoked_at: orNull(grant.revokedAt),
  version: grant.version,
})

export const grantReader =
  (read: ColumnReader) =>
  (row: SqlRow): GrantRecord => ({
    grantId: grantId(read.text(row, 'grant_id')),
    clientId: clientId(read.text(row, 'client_id')),
    userId: userId(read.text(row, 'user_id')),
    userGeneration: read.integer(row, 'user_generation'),
    scopes: read.json(row, 'scopes') as string[],
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    revokedAt: optionalTime(read.optionalInteger(row, 'revoked_at')),
    version: read.integer(row, 'version'),
  })
