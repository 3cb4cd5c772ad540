import { registerClient } from '@mintmark/core'
import { epochSeconds, userId } from '@mintmark/storage-interface'
import { storage } from './authorization-server.ts'
import { allUsers } from './users.ts'

// Create a record for each user: the id becomes the `sub` of their tokens, and clients may receive the claims.
for (const { id, email, name } of allUsers()) {
  const claims = { name, email, email_verified: true }
  const user = { userId: userId(id), claims, createdAt: epochSeconds(Date.now() / 1000) }
  const { outcome } = await storage.users.insert(user)
  if (outcome === 'taken') throw new Error(`There is a record for ${id} already`)
}

const { clientSecret } = await registerClient(
  {
    clientId: 'my-app',
    clientName: 'My app',
    redirectUris: [`${process.env['CLIENT_URL'] ?? 'http://localhost:4000'}/callback`],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
  },
  { storage },
)
console.log(`CLIENT_SECRET=${clientSecret}`)
