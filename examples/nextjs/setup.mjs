import { registerClient } from '@mintmark/core'
import { epochSeconds, userId } from '@mintmark/storage-interface'
import { openStorage } from './lib/storage.ts'

// Run it once. It inserts the user of lib/users.ts, registers a client, and prints the client's secret.
const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000/id'
const storage = await openStorage(issuer)

await storage.users.insert({
  userId: userId('user-1'),
  claims: { name: 'Ann Lee', email: 'ann@example.com', email_verified: true },
  createdAt: epochSeconds(Date.now() / 1000),
})
const { clientSecret } = await registerClient(
  {
    clientId: 'partner',
    clientName: 'Partner',
    redirectUris: [process.env['REDIRECT_URI'] ?? 'http://localhost:4000/callback'],
    postLogoutRedirectUris: [process.env['POST_LOGOUT_REDIRECT_URI'] ?? 'http://localhost:4000/signed-out'],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
  },
  { storage },
)
console.log('client_id partner, client_secret', clientSecret)
// The pool of PostgreSQL would keep the program running.
process.exit()
