import type { AdminStorage } from '@mintmark/storage-interface'
import { composeStorage } from '@mintmark/storage-interface'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'

import { createRedisStorage, type RedisClient } from '../../src/index.ts'

/** Makes stores that share a Redis but no key. Each opened storage uses the next client, as another server would. */
export function redisUnderTest(clients: readonly RedisClient[]): () => Promise<StorageUnderTest<AdminStorage>> {
  let stores = 0
  let opened = 0

  return async () => {
    stores += 1
    const prefix = `store-${stores}`
    const database = createMemoryDatabase()

    return {
      open: async (issuer) => {
        opened += 1
        const client = clients[opened % clients.length]
        if (client === undefined) throw new Error('There is no client.')
        return composeStorage({
          durable: createMemoryStorage({ issuer, database }),
          expiring: createRedisStorage({ client, issuer, prefix }),
        })
      },
      close: async () => {},
    }
  }
}
