import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { registerClient } from '@mintmark/core'
import { registerIdentityProvider } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

import { createApp } from '../src/app.ts'
import { openUsers } from '../src/users.ts'

/** Starts your app on a free port, with databases in memory, a client and a directory. */
export async function startSite() {
  // `unref`: a failed test must not keep the process running.
  const listener = createServer().unref()
  await new Promise<void>((done) => listener.listen(0, 'localhost', done))
  const issuer = `http://localhost:${(listener.address() as AddressInfo).port}`
  const storage = await createSqlStorage({ issuer, dialect: openSqliteDialect(':memory:', { migrate: 'on-open' }) })
  const sealingKey = randomBytes(32).toString('base64url')
  const users = openUsers(':memory:')
  listener.on('request', await createApp({ storage, users, sealingKey, trustedProxies: 'loopback', logger: silent }))

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
    listener.close()
    listener.closeAllConnections()
  }
  return { issuer, redirectUri, clientId: client.clientId, clientSecret, directory, stop }
}

const nothing = (): void => undefined
const silent = { info: nothing, warn: nothing, error: nothing }
