import { registerClient } from '@mintmark/core'
import { clientId, type OAuthStorage } from '@mintmark/storage-interface'

import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** The identifier and the secret of a confidential client. */
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

/** Registers the confidential client, unless storage has the client that the file names. */
export const registerWebClient = (storage: OAuthStorage, file: string): Promise<WebClientCredentials> =>
  registerOnce(storage, file, {
    clientName: 'Reading Room',
    redirectUris: [`${storage.issuer}/web/callback`],
    postLogoutRedirectUris: [`${storage.issuer}/web/`],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'profile', 'email', 'offline_access', 'books.read'],
  })

/** Registers the API, which reads the revocation feed with these credentials. */
export const registerBooksApi = (storage: OAuthStorage, file: string): Promise<WebClientCredentials> =>
  registerOnce(storage, file, {
    clientName: 'Books API',
    grantTypes: [],
    servedAudiences: [booksApi(storage.issuer)],
  })

/** The identifier of the API: the audience of its access tokens. */
export const booksApi = (issuer: string): string => `${issuer}/api`

/** The secret is returned only at registration, so it is written to the file. */
async function registerOnce(
  storage: OAuthStorage,
  file: string,
  metadata: ClientMetadata,
): Promise<WebClientCredentials> {
  const text = await readPrivateFile(file)
  const stored = text === undefined ? undefined : (JSON.parse(text) as WebClientCredentials)
  if (stored !== undefined && (await storage.clients.find(clientId(stored.clientId))) !== undefined) return stored

  const { client, clientSecret = '' } = await registerClient(metadata, { storage })
  const credentials: WebClientCredentials = { clientId: client.clientId, clientSecret }
  await writePrivateFile(file, `${JSON.stringify(credentials, undefined, 2)}\n`)
  return credentials
}

type ClientMetadata = Parameters<typeof registerClient>[0]

const spaClientId = 'pocket-notes'
