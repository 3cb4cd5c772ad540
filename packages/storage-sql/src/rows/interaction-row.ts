import {
  clientId,
  epochSeconds,
  secretDigest,
  userId,
  type InteractionLogin,
  type InteractionRecord,
} from '@mintmark/storage-interface'
import { json, jsonOrNull, type ColumnReader } from '../row.ts'
import type { SqlRow, SqlValue } from '../dialect.ts'
import { readAuthentication, type AuthenticationJson } from './authentication-json.ts'

export const interactionColumns = [
  'issuer',
  'digest',
  'browser_digest',
  'client_id',
  'parameters',
  'resources',
  'login',
  'created_at',
  'expires_at',
  'version',
  'consumed_at',
] as const

export const interactionRow = (
  interaction: InteractionRecord,
): Omit<Record<(typeof interactionColumns)[number], SqlValue>, 'issuer'> => ({
  digest: interaction.digest,
  browser_digest: interaction.browserDigest,
  client_id: interaction.clientId,
  parameters: json(interaction.parameters),
  resources: json(interaction.resources),
  login: loginJson(interaction.login),
  created_at: interaction.createdAt,
  expires_at: interaction.expiresAt,
  version: interaction.version,
  consumed_at: null,
})

export const loginJson = (login: InteractionLogin | undefined): SqlValue => jsonOrNull(login)

export const interactionReader =
  (read: ColumnReader) =>
  (row: SqlRow): InteractionRecord => ({
    digest: secretDigest(read.text(row, 'digest')),
    browserDigest: secretDigest(read.text(row, 'browser_digest')),
    clientId: clientId(read.text(row, 'client_id')),
    parameters: read.json(row, 'parameters') as Record<string, string>,
    resources: read.json(row, 'resources') as string[],
    login: readLogin(read.optionalJson(row, 'login') as LoginJson | undefined),
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    expiresAt: epochSeconds(read.integer(row, 'expires_at')),
    version: read.integer(row, 'version'),
  })

interface LoginJson {
  readonly userId: string
  readonly userGeneration: number
  readonly authentication: AuthenticationJson
}

function readLogin(stored: LoginJson | undefined): InteractionLogin | undefined {
  if (stored === undefined) return undefined
  return {
    userId: userId(stored.userId),
    userGeneration: stored.userGeneration,
    authentication: readAuthentication(stored.authentication),
  }
}
