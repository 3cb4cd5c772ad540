import {
  clientId,
  epochSeconds,
  familyId,
  grantId,
  secretDigest,
  userId,
  type JsonObject,
  type RefreshRecord,
  type TokenFamilyRecord,
} from '@mintmark/storage-interface'
import { json, jsonOrNull, orNull, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { readAuthentication, type AuthenticationJson } from './authentication-json.ts'
import { optionalTime } from './optional-time.ts'

export const familyColumns = [
  'issuer',
  'family_id',
  'grant_id',
  'client_id',
  'user_id',
  'scopes',
  'resources',
  'claims_request',
  'authentication',
  // The refresh token: all empty when none was issued.
  'handle_digest',
  'current_digest',
  'previous_digest',
  'successor_salt',
  'rotated_at',
  'refresh_expires_at',
  'created_at',
  'expires_at',
  'revoked_at',
] as const

export const familyRow = (
  family: TokenFamilyRecord,
): Omit<Record<(typeof familyColumns)[number], SqlValue>, 'issuer'> => ({
  family_id: family.familyId,
  grant_id: family.grantId,
  client_id: family.clientId,
  user_id: family.userId,
  scopes: json(family.scopes),
  resources: json(family.resources),
  claims_request: jsonOrNull(family.claimsRequest),
  authentication: json(family.authentication),
  handle_digest: orNull(family.refresh?.handleDigest),
  current_digest: orNull(family.refresh?.currentDigest),
  previous_digest: orNull(family.refresh?.previousDigest),
  successor_salt: orNull(family.refresh?.successorSalt),
  rotated_at: orNull(family.refresh?.rotatedAt),
  refresh_expires_at: orNull(family.refresh?.expiresAt),
  created_at: family.createdAt,
  expires_at: family.expiresAt,
  revoked_at: orNull(family.revokedAt),
})

export const familyReader =
  (read: ColumnReader) =>
  (row: SqlRow): TokenFamilyRecord => ({
    familyId: familyId(read.text(row, 'family_id')),
    grantId: grantId(read.text(row, 'grant_id')),
    clientId: clientId(read.text(row, 'client_id')),
    userId: userId(read.text(row, 'user_id')),
    scopes: read.json(row, 'scopes') as string[],
    resources: read.json(row, 'resources') as string[],
    claimsRequest: read.optionalJson(row, 'claims_request') as JsonObject | undefined,
    authentication: readAuthentication(read.json(row, 'authentication') as AuthenticationJson),
    refresh: read.has(row, 'handle_digest') ? readRefresh(read, row) : undefined,
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    expiresAt: epochSeconds(read.integer(row, 'expires_at')),
    revokedAt: optionalTime(read.optionalInteger(row, 'revoked_at')),
  })

function readRefresh(read: ColumnReader, row: SqlRow): RefreshRecord {
  const previousDigest = read.optionalText(row, 'previous_digest')
  return {
    handleDigest: secretDigest(read.text(row, 'handle_digest')),
    currentDigest: secretDigest(read.text(row, 'current_digest')),
    previousDigest: previousDigest === undefined ? undefined : secretDigest(previousDigest),
    successorSalt: read.optionalText(row, 'successor_salt'),
    rotatedAt: optionalTime(read.optionalInteger(row, 'rotated_at')),
    expiresAt: epochSeconds(read.integer(row, 'refresh_expires_at')),
  }
}
