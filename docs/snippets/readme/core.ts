// #region server
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
const storage = createMemoryStorage({ issuer }) // in production: @mintmark/storage-sql

export const server = createAuthorizationServer({
  issuer,
  storage,
  keys: createStoredKeys({ storage, sealingKey: process.env['SEALING_KEY'] ?? '' }),
  // Returns the user who is signed in to your application.
  signedIn: async (request) => sessionOf(request.headers.get('cookie')),
  scopes: { 'orders.read': 'See your orders' },
  resources: { 'https://api.example.com': { scopes: ['orders.read'] } },
})
// #endregion server

const sessionOf = (_cookie: string | undefined) => undefined
