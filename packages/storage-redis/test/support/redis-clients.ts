import { Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'

import type { RedisServer } from './redis-server.ts'

// Each client is configured as the package's documentation advises: no command waits in a queue for a lost connection,
// and none is sent twice. The tests check what the stores report, so they ignore the error events of the clients.

export async function connectClient({ url }: Pick<RedisServer, 'url'>) {
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: 20 } })
  return client.on('error', () => {}).connect()
}

export async function connectCluster({ nodes }: { readonly nodes: readonly Pick<RedisServer, 'url'>[] }) {
  const cluster = createCluster({
    rootNodes: nodes.map(({ url }) => ({ url })),
    defaults: { disableOfflineQueue: true, socket: { reconnectStrategy: 20 } },
  })
  await cluster.on('error', () => {}).connect()
  return cluster
}

export async function connectIoRedis({ port }: RedisServer): Promise<Redis> {
  const client = new Redis({
    port,
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => 20,
  })
  await client.on('error', () => {}).connect()
  return client
}
