import { createServer } from 'node:http'

import { toNodeListener } from '@mintmark/adapter-node'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Starts the server. @param storage the storage, with the same issuer as the server. */
export async function listen(storage: OAuthStorage, sealingKey: string) {
  const server = createAuthorizationServer({
    issuer: 'https://login.example', // the address that browsers use: the proxy's
    storage,
    keys: createStoredKeys({ storage, sealingKey }),
    signedIn: () => Promise.resolve(undefined),
  })
  await server.ready()
  // Only the proxy should be able to reach this address.
  return createServer(toNodeListener(server)).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
}
