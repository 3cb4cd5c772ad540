import { registerClient } from '@mintmark/core'
import { epochSeconds, userId } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000'
const storage = await createSqlStorage({ issuer, dialect: openSqliteDialect('mintmark.db', { migrate: 'on-open' }) })

// Create a user. The id is the `sub` of the tokens.
const claims = {
  name: 'Ann Lee',
  given_name: 'Ann',
  family_name: 'Lee',
  email: 'ann@example.com',
  email_verified: true,
}
await storage.users.insert({ userId: userId('user-1'), claims, createdAt: epochSeconds(Date.now() / 1000) })

// Register a client: a web app that can keep a secret. The secret is printed once and cannot be shown again.
const { clientSecret } = await registerClient(
  {
    clientId: 'my-app',
    clientName: 'My app',
    redirectUris: ['http://localhost:4000/callback'],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
  },
  { storage },
)
console.log('client_id my-app, client_secret', clientSecret)
