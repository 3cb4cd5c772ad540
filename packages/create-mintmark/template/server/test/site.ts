import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { registerClient } from '@mintmark/core'
import { registerIdentityProvider } from '@mintmark/scim'
import { createSqlStorage, migrate } from '@mintmark/storage-sql'

import { createApp, toServer } from '#app'
import { createSite } from '#create-site'
import { openTestDatabase } from '#test-database'
import { openUsers } from '#users'

/** Starts your app on a free port, with databases in memory, a client and a directory. */
export async function startSite() {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const { dialect, tables } = openTestDatabase()
  await migrate({ dialect })
  const storage = await createSqlStorage({ issuer, dialect })
  const sources = { tables, environment: { SAMPLE_PASSWORD: samplePassword } }
  const users = await openUsers(sources)
  const secrets = { sealingKey: randomBytes(32).toString('base64url'), tryKey: randomBytes(32).toString('base64url') }
  const site = await createSite({ issuer, storage, users, ...secrets, logger: silent })
  const server = await toServer(createApp(site, { trustedProxies: 'loopback' }))
  await listen(server, port)

  const redirectUri = 'https://app.example/callback'
  const { client, clientSecret } = await registerClient(
    {
      clientName: 'My app',
      redirectUris: [redirectUri],
      requirePkce: true,
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['openid', 'email', 'offline_access'],
    },
    { storage },
  )
  await registerClient(
    {
      clientId: 'try-it',
      clientName: 'Try it',
      tokenEndpointAuthMethod: 'none',
      redirectUris: [`${issuer}/try/callback`],
      scopes: ['openid', 'profile', 'email'],
    },
    { storage },
  )
  const directory = await registerIdentityProvider({ providerId: 'acme', displayName: 'Acme Inc.' }, { storage })
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { issuer, redirectUri, clientId: client.clientId, clientSecret, directory, tryKey: secrets.tryKey, stop }
}

/** The password of the sample user, if users.ts still has one. */
export const samplePassword = 'correct horse battery staple'

/** The issuer contains the port, so it must be known before the app is created. */
async function freePort(): Promise<number> {
  const probe = createServer()
  await listen(probe, 0)
  const { port } = probe.address() as AddressInfo
  await new Promise((done) => probe.close(done))
  return port
}

const listen = (server: Server, port: number): Promise<void> =>
  // `unref`: a failed test must not keep the process running.
  new Promise((done) => server.unref().listen(port, 'localhost', done))

const nothing = (): void => undefined
const silent = { info: nothing, warn: nothing, error: nothing }
