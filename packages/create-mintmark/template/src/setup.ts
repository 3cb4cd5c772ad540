import { randomBytes } from 'node:crypto'

import { registerClient } from '@mintmark/core'
import { registerIdentityProvider } from '@mintmark/scim'
import { clientId, epochSeconds, providerId, userId } from '@mintmark/storage-interface'
import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

import { openUsers } from './users.ts'
import { settings } from './settings.ts'

// Creates the tables, a user, a client and a directory, unless they exist. Secrets are printed once and cannot be shown
// again.

const dialect = openSqliteDialect(settings.database)
await migrate({ dialect })
const storage = await createSqlStorage({ issuer: settings.issuer, dialect })
const users = openUsers(settings.users)

if (users.list().length === 0) {
  const password = randomBytes(10).toString('hex')
  const names = { givenName: 'Ann', familyName: 'Lee', email: 'ann@example.com', username: 'ann' }
  await users.add([{ ...names, password }])
  console.log(`Sign in as      ann / ${password}`)
}
for (const { subject, givenName, familyName, username, email } of users.list()) {
  const claims = {
    name: `${givenName} ${familyName}`,
    given_name: givenName,
    family_name: familyName,
    preferred_username: username,
    email,
    email_verified: true,
  }
  await storage.users.insert({ userId: userId(subject), claims, createdAt: epochSeconds(Date.now() / 1000) })
}

if ((await storage.clients.find(clientId('my-app'))) === undefined) {
  const { clientSecret } = await registerClient(
    {
      clientId: 'my-app',
      clientName: 'My app',
      redirectUris: ['http://localhost:4000/callback'],
      requirePkce: true,
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['openid', 'profile', 'email', 'offline_access'],
    },
    { storage },
  )
  console.log(`Client          my-app, secret ${clientSecret}, redirect URI http://localhost:4000/callback`)
}

// The client of src/try-it.ts, which shows a first sign-in. It is public, so it has no secret.
if ((await storage.clients.find(clientId('try-it'))) === undefined) {
  await registerClient(
    {
      clientId: 'try-it',
      clientName: 'Try it',
      tokenEndpointAuthMethod: 'none',
      redirectUris: [`${settings.issuer}/try/callback`],
      scopes: ['openid', 'profile', 'email'],
    },
    { storage },
  )
}

if ((await storage.identityProviders.find(providerId('acme'))) === undefined) {
  const { tenantUrl, secret } = await registerIdentityProvider(
    { providerId: 'acme', displayName: 'Acme Inc.', toleranceProfile: 'general' },
    { storage },
  )
  console.log(`SCIM Tenant URL ${tenantUrl}\nSecret Token    ${secret}`)
}

console.log(`Done. Existing records were not changed, and their secrets cannot be shown again. To create new secrets:
  npm run mintmark -- client secret rotate my-app
  npm run mintmark -- idp rotate acme`)

await dialect.close()
users.close()
