import type { ClientRecord } from '../../client.ts'
import { clientId } from '../../identifiers.ts'
import { aDigest } from './a-digest.ts'
import { now } from './moments.ts'

/** A confidential web client with one secret, in use. */
export const aClientRecord = (overrides: Partial<ClientRecord> = {}): ClientRecord => ({
  clientId: clientId('client-1'),
  clientName: 'Example Application',
  tokenEndpointAuthMethod: 'client_secret_basic',
  secrets: [{ digest: aDigest('client-secret-1'), createdAt: now, expiresAt: undefined, lastUsedAt: undefined }],
  jwks: undefined,
  jwksUri: undefined,
  redirectUris: ['https://app.example/callback'],
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  servedAudiences: [],
  idTokenSignedResponseAlg: 'RS256',
  userinfoSignedResponseAlg: undefined,
  defaultMaxAge: undefined,
  requireAuthTime: false,
  disabledAt: undefined,
  createdAt: now,
  version: 1,
  ...overrides,
})
