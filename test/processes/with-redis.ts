import { composeStorage, type AdminStorage } from '@mintmark/storage-interface'
import { createRedisStorage } from '@mintmark/storage-redis'
import { Redis } from 'ioredis'

import type { SentinelAddress } from './server-config.ts'

/** Keeps the records that expire in Redis. */
export async function withRedis(
  durable: AdminStorage,
  { sentinels, name, waitForReplicas }: SentinelAddress,
): Promise<AdminStorage> {
  const client = new Redis({
    sentinels,
    name,
    // Leaves a primary when Sentinel has chosen another one, although the old one still answers.
    failoverDetector: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2000,
    retryStrategy: () => 200,
    sentinelRetryStrategy: () => 200,
    lazyConnect: true,
  })
  client.on('error', () => {})
  // ioredis 6.0 ends for good when its failover detector speaks while it is connecting.
  client.on('end', () => setTimeout(() => void client.connect().catch(() => {}), 200))
  await client.connect()
  const { issuer } = durable
  return composeStorage({ durable, expiring: createRedisStorage({ client, issuer, waitForReplicas }) })
}
