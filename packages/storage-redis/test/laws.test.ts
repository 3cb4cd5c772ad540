import type { AdminStorage } from '@mintmark/storage-interface'
import { adminLaws, type StorageUnderTest } from '@mintmark/storage-interface/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startRedisCluster } from './support/redis-cluster.ts'
import { connectClient, connectCluster, connectIoRedis } from './support/redis-clients.ts'
import { startRedis } from './support/redis-server.ts'
import { redisUnderTest } from './support/redis-under-test.ts'

interface Target {
  readonly name: string
  readonly start: () => Promise<{
    readonly makeStore: () => Promise<StorageUnderTest<AdminStorage>>
    readonly stop: () => Promise<void>
  }>
}

const targets: readonly Target[] = [
  {
    name: 'one server, through node-redis',
    start: async () => {
      const server = await startRedis()
      const clients = await Promise.all([connectClient(server), connectClient(server)])
      const stop = async () => {
        clients.forEach((client) => client.destroy())
        await server.stop()
      }
      return { makeStore: redisUnderTest(clients), stop }
    },
  },
  {
    name: 'one server, through ioredis',
    start: async () => {
      const server = await startRedis()
      const clients = await Promise.all([connectIoRedis(server), connectIoRedis(server)])
      const stop = async () => {
        clients.forEach((client) => client.disconnect())
        await server.stop()
      }
      return { makeStore: redisUnderTest(clients), stop }
    },
  },
  {
    name: 'a cluster of three masters',
    start: async () => {
      const cluster = await startRedisCluster()
      const clients = await Promise.all([connectCluster(cluster), connectCluster(cluster)])
      const stop = async () => {
        clients.forEach((client) => client.destroy())
        await cluster.stop()
      }
      return { makeStore: redisUnderTest(clients), stop }
    },
  },
]

describe.for(targets)('durable records in memory, expiring records on $name', ({ start }) => {
  let target: Awaited<ReturnType<Target['start']>>
  beforeAll(async () => {
    target = await start()
  })
  afterAll(() => target.stop())

  it.for(adminLaws)('keeps the law $name', async (law) => {
    await expect(law.run(target.makeStore)).resolves.toBeUndefined()
  })
})
