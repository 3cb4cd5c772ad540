import {
  clientId,
  epochSeconds,
  familyId,
  grantId,
  secretDigest,
  userId,
  type AuthorizationCodeRecord,
  type JsonObject,
} from '@mintmark/storage-interface'
import { json, jsonOrNull, orNull, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { readAuthentication, type AuthenticationJson } from './authentication-json.ts'

export const codeColumns = [
  'issuer',
  'digest',
  'client_id',
  'grant_id',
  'family_id',
  'user_id',
  'redirect_uri',
  'scopes',
  'resources',
  'nonce',
  'code_challenge_method',
  'code_challenge',
  'claims_request',
  'authentication',
  'issued_at',
  'expires_at',
  'consumed_at',
] as const

export const codeRow = (
  code: AuthorizationCodeRecord,
): Omit<Record<(typeof codeColumns)[number], SqlValue>, 'issuer'> => ({
  digest: code.digest,
  client_id: code.clientId,
  grant_id: code.grantId,
  family_id: code.familyId,
  user_id: code.userId,
  redirect_uri: code.redirectUri,
  scopes: json(code.scopes),
  resources: json(code.resources),
  nonce: orNull(code.nonce),
  code_challenge_method: code.codeChallengeMethod,
  code_challenge: orNull(code.codeChallenge),
  claims_request: jsonOrNull(code.claimsRequest),
  authentication: json(code.authentication),
  issued_at: code.issuedAt,
  expires_at: code.expiresAt,
  consumed_at: null,
})

export const codeReader =
  (read: ColumnReader) =>
  (row: SqlRow): AuthorizationCodeRecord => ({
    digest: secretDigest(read.text(row, 'digest')),
    clientId: clientId(read.text(row, 'client_id')),
    grantId: grantId(read.text(row, 'grant_id')),
    familyId: familyId(read.text(row, 'family_id')),
    userId: userId(read.text(row, 'user_id')),
    redirectUri: read.text(row, 'redirect_uri'),
    scopes: read.json(row, 'scopes') as string[],
    resources: read.json(row, 'resources') as string[],
    nonce: read.optionalText(row, 'nonce'),
    codeChallengeMethod: read.text(row, 'code_challenge_method') as AuthorizationCodeRecord['codeChallengeMethod'],
    codeChallenge: read.optionalText(row, 'code_challenge'),
    claimsRequest: read.optionalJson(row, 'claims_request') as JsonObject | undefined,
    authentication: readAuthentication(read.json(row, 'authentication') as AuthenticationJson),
    issuedAt: epochSeconds(read.integer(row, 'issued_at')),
    expiresAt: epochSeconds(read.integer(row, 'expires_at')),
  })
