import {
  clientId,
  epochSeconds,
  type ClientRecord,
  type JsonObject,
  type TokenEndpointAuthMethod,
} from '@mintmark/storage-interface'
import { json, jsonOrNull, orNull, type ColumnReader } from '../row.ts'
import type { SqlEngine, SqlRow, SqlValue } from '../dialect.ts'
import { optionalTime } from './optional-time.ts'
import { readSecrets, secretColumns, type SecretJson, type SecretUses } from './secrets-json.ts'

export const clientColumns = [
  'issuer',
  'client_id',
  'client_name',
  'token_endpoint_auth_method',
  'secrets',
  // When each secret was used last, by digest: a column of its own, because noting it changes no version.
  'secret_uses',
  'jwks',
  'jwks_uri',
  'redirect_uris',
  'grant_types',
  'scopes',
  'served_audiences',
  'id_token_signed_response_alg',
  'userinfo_signed_response_alg',
  'default_max_age',
  'require_auth_time',
  'disabled_at',
  'created_at',
  'version',
  // A removed client stays as a tombstone, so that nobody inherits what was issued to it with its identifier.
  'removed_at',
] as const

type ClientRow = Omit<Record<(typeof clientColumns)[number], SqlValue>, 'issuer'>

export const clientRow = (client: ClientRecord, engine: SqlEngine): ClientRow => ({
  client_id: client.clientId,
  client_name: client.clientName,
  token_endpoint_auth_method: client.tokenEndpointAuthMethod,
  ...secretColumns(client.secrets),
  jwks: jsonOrNull(client.jwks),
  jwks_uri: orNull(client.jwksUri),
  redirect_uris: json(client.redirectUris),
  grant_types: json(client.grantTypes),
  scopes: json(client.scopes),
  served_audiences: json(client.servedAudiences),
  id_token_signed_response_alg: client.idTokenSignedResponseAlg,
  userinfo_signed_response_alg: orNull(client.userinfoSignedResponseAlg),
  default_max_age: orNull(client.defaultMaxAge),
  require_auth_time: engine.encodeFlag(client.requireAuthTime),
  disabled_at: orNull(client.disabledAt),
  created_at: client.createdAt,
  version: client.version,
  removed_at: null,
})

export const clientReader =
  (read: ColumnReader) =>
  (row: SqlRow): ClientRecord => ({
    clientId: clientId(read.text(row, 'client_id')),
    clientName: read.text(row, 'client_name'),
    tokenEndpointAuthMethod: read.text(row, 'token_endpoint_auth_method') as TokenEndpointAuthMethod,
    secrets: readSecrets(
      read.json(row, 'secrets') as readonly SecretJson[],
      read.json(row, 'secret_uses') as SecretUses,
    ),
    jwks: read.optionalJson(row, 'jwks') as JsonObject | undefined,
    jwksUri: read.optionalText(row, 'jwks_uri'),
    redirectUris: read.json(row, 'redirect_uris') as string[],
    grantTypes: read.json(row, 'grant_types') as string[],
    scopes: read.json(row, 'scopes') as string[],
    servedAudiences: read.json(row, 'served_audiences') as string[],
    idTokenSignedResponseAlg: read.text(row, 'id_token_signed_response_alg'),
    userinfoSignedResponseAlg: read.optionalText(row, 'userinfo_signed_response_alg'),
    defaultMaxAge: read.optionalInteger(row, 'default_max_age'),
    requireAuthTime: read.flag(row, 'require_auth_time'),
    disabledAt: optionalTime(read.optionalInteger(row, 'disabled_at')),
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    version: read.integer(row, 'version'),
  })
