import { createServer } from 'node:http'

import { toNodeListener } from '@mintmark/adapter-node'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import type { Storage } from '@mintmark/storage-interface'

/** @param storage made for the same issuer. */
export function listen(storage: Storage, sealingKey: string) {
  const server = createAuthorizationServer({
    issuer: 'https://login.example', // what people's browsers see: the proxy's address
    storage,
    keys: createStoredKeys({ storage, sealingKey }),
    signedIn: () => Promise.resolve(undefined),
  })
  // What the proxy sees. Nobody else should reach it.
  return createServer(toNodeListener(server)).listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
}
