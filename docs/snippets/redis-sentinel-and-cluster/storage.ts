import { composeStorage, type OAuthStorage } from '@mintmark/storage-interface'
import { createRedisStorage } from '@mintmark/storage-redis'
import { Redis } from 'ioredis'

/** Keeps short-lived records in the Redis that three Sentinels watch. @param durable the storage for everything else. */
export async function withSentinel(durable: OAuthStorage) {
  const client = new Redis({
    sentinels: ['redis1', 'redis2', 'redis3'].map((host) => ({ host, port: 26_379 })),
    name: 'mintmark',
    failoverDetector: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2000,
    retryStrategy: () => 200,
    sentinelRetryStrategy: () => 200,
    lazyConnect: true,
  })
  let isClosed = false
  client.on('error', (error) => console.error('Redis:', error))
  // The failover detector can end a connection for good, so connect again.
  client.on('end', () => setTimeout(() => void (isClosed || client.connect().catch(() => {})), 200))
  await client.connect()
  const expiring = createRedisStorage({ client, issuer: durable.issuer, waitForReplicas: 1 })
  const close = () => {
    isClosed = true
    client.disconnect()
  }
  return { storage: composeStorage({ durable, expiring }), close }
}
