import { adminScopes, createAdminServer, logAdminEvents } from '@mintmark/admin'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
const storage = createMemoryStorage({ issuer })
const keys = createStoredKeys({ storage, sealingKey: process.env['SEALING_KEY'] ?? '' })
const server = createAuthorizationServer({
  issuer,
  storage,
  keys,
  signedIn: async () => undefined,
  scopes: adminScopes,
})

/** Serves /admin/v1. Each request needs an access token with an administration scope. */
export const admin = createAdminServer({
  issuer,
  storage,
  keys,
  accessTokens: server,
  onEvent: logAdminEvents(console),
})
