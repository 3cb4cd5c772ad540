import { composeStorage, type Storage } from '@mintmark/storage-interface'
import { createRedisStores } from '@mintmark/storage-redis'
import { createClient } from 'redis'

/** @param durable your PostgreSQL. */
export async function withRedis(durable: Storage, url: string) {
  const client = createClient({ url, disableOfflineQueue: true })
  client.on('error', (error) => console.error('Redis:', error))
  await client.connect()
  const storage = composeStorage({ durable, expiring: createRedisStores({ client, issuer: durable.issuer }) })
  return { storage, close: () => client.close() }
}
