import { createAuthorizationServer, registerClient, createStoredKeys } from '@mintmark/core'
import { createScimServer } from '@mintmark/scim'
import type { ScimStorage } from '@mintmark/storage-interface'

export async function createServers(storage: ScimStorage, sealingKey: string) {
  const issuer = 'https://id.example.com'

  const server = createAuthorizationServer({
    issuer,
    storage,
    revocationFeed: true,
    keys: createStoredKeys({ storage, sealingKey }),
    signedIn: () => Promise.resolve(undefined),
    scopes: { 'orders.read': 'See your orders' },
    resources: { 'https://api.example.com': { scopes: ['orders.read'] } },
  })
  const scim = createScimServer({ issuer, storage })
  const credentials = await registerClient(
    { clientId: 'orders-api', clientName: 'Orders API', grantTypes: [], servedAudiences: ['https://api.example.com'] },
    { storage },
  )
  return { server, scim, credentials }
}
