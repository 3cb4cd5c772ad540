import { epochSeconds, secretDigest, sessionId, userId, type SessionRecord } from '@mintmark/storage-interface'
import { json, orNull, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { optionalTime } from './optional-time.ts'

export const sessionColumns = [
  'issuer',
  'digest',
  'session_id',
  'user_id',
  'user_generation',
  'auth_time',
  'acr',
  'amr',
  'created_at',
  'idle_expires_at',
  'expires_at',
  'revoked_at',
] as const

export const sessionRow = (
  session: SessionRecord,
): Omit<Record<(typeof sessionColumns)[number], SqlValue>, 'issuer'> => ({
  digest: session.digest,
  session_id: session.sessionId,
  user_id: session.userId,
  user_generation: session.userGeneration,
  auth_time: session.authTime,
  acr: orNull(session.acr),
  amr: json(session.amr),
  created_at: session.createdAt,
  idle_expires_at: session.idleExpiresAt,
  expires_at: session.expiresAt,
  revoked_at: orNull(session.revokedAt),
})

export const sessionReader =
  (read: ColumnReader) =>
  (row: SqlRow): SessionRecord => ({
    digest: secretDigest(read.text(row, 'digest')),
    sessionId: sessionId(read.text(row, 'session_id')),
    userId: userId(read.text(row, 'user_id')),
    userGeneration: read.integer(row, 'user_generation'),
    authTime: epochSeconds(read.integer(row, 'auth_time')),
    acr: read.optionalText(row, 'acr'),
    amr: read.json(row, 'amr') as string[],
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    idleExpiresAt: epochSeconds(read.integer(row, 'idle_expires_at')),
    expiresAt: epochSeconds(read.integer(row, 'expires_at')),
    revokedAt: optionalTime(read.optionalInteger(row, 'revoked_at')),
  })
