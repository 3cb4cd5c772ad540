import type { AdminStorage } from '@mintmark/storage-interface'
import { composeStorage } from '@mintmark/storage-interface'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'

import { createRedisStorage, type RedisClient } from '../../src/index.ts'

/** Makes stores that share a Redis and not one key; each handle uses the next of the clients, as servers would. */
export function redisUnderTest(clients: readonly RedisClient[]): () => Promise<StorageUnderTest<AdminStorage>> {
  let stores = 0
  let handles = 0

  return async () => {
    stores += 1
    const prefix = `store-${stores}`
    const medium = createMemoryDatabase()

    return {
      open: async (issuer) => {
        handles += 1
        const client = clients[handles % clients.length]
        if (client === undefined) throw new Error('There is no client.')
        return composeStorage({
          durable: createMemoryStorage({ issuer, database: medium }),
          expiring: createRedisStorage({ client, issuer, prefix }),
        })
      },
      close: async () => {},
    }
  }
}
