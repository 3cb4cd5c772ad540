import { composeStorage, type OAuthStorage } from '@mintmark/storage-interface'
import { createRedisStorage } from '@mintmark/storage-redis'
import { createClient } from 'redis'

/** Keeps short-lived records in Redis. @param durable the storage in PostgreSQL, for everything else. */
export async function withRedis(durable: OAuthStorage, url: string) {
  const client = createClient({ url, disableOfflineQueue: true })
  client.on('error', (error) => console.error('Redis:', error))
  await client.connect()
  const storage = composeStorage({ durable, expiring: createRedisStorage({ client, issuer: durable.issuer }) })
  return { storage, close: () => client.close() }
}
