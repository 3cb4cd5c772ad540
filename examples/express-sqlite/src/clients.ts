import { registerClient } from '@mintmark/core'
import { clientId, type OAuthStorage } from '@mintmark/storage-interface'

import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** The credentials of the web client. */
export interface WebClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** Registers the public client, if it is not registered yet: a page with a script, which cannot keep a secret. */
export async function registerSpaClient(storage: OAuthStorage): Promise<void> {
  if ((await storage.clients.find(clientId(spaClientId))) !== undefined) return
  await registerClient(
    {
      clientId: spaClientId,
      clientName: 'Pocket Notes',
      tokenEndpointAuthMethod: 'none',
      redirectUris: [`${storage.issuer}/spa/`],
      scopes: ['openid', 'profile', 'email'],
    },
    { storage },
  )
}

/**
 * Registers the confidential client, unless storage has the client that the file names. The secret is returned only at
 * registration, so it is written to the file.
 */
export async function registerWebClient(storage: OAuthStorage, file: string): Promise<WebClientCredentials> {
  const text = await readPrivateFile(file)
  const stored = text === undefined ? undefined : (JSON.parse(text) as WebClientCredentials)
  if (stored !== undefined && (await storage.clients.find(clientId(stored.clientId))) !== undefined) return stored

  const { client, clientSecret = '' } = await registerClient(
    {
      clientName: 'Reading Room',
      redirectUris: [`${storage.issuer}/web/callback`],
      postLogoutRedirectUris: [`${storage.issuer}/web/`],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['openid', 'profile', 'email', 'offline_access'],
    },
    { storage },
  )
  const credentials: WebClientCredentials = { clientId: client.clientId, clientSecret }
  await writePrivateFile(file, `${JSON.stringify(credentials, undefined, 2)}\n`)
  return credentials
}

const spaClientId = 'pocket-notes'
