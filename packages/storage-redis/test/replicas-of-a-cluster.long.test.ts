import { aCodeRecord, aDigest } from '@mintmark/storage-interface/fixtures'
import { Cluster } from 'ioredis'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

import { createRedisStorage, type RedisClient } from '../src/index.ts'
import { fill, reads, writes } from './support/every-operation.ts'
import { connectClient, connectCluster } from './support/redis-clients.ts'
import { startRedisCluster, type RedisCluster } from './support/redis-cluster.ts'
import type { RedisServer } from './support/redis-server.ts'

const issuer = 'https://issuer.example'
const code = aCodeRecord()
const digests = Array.from({ length: 30 }, (_, index) => aDigest(`code-${index}-`))

let cluster: RedisCluster
beforeAll(async () => {
  cluster = await startRedisCluster({ replicasOfEach: 1 })
})
afterAll(() => cluster.stop())

const clients: Readonly<Record<string, () => Promise<RedisClient>>> = {
  'a node-redis cluster': async () => {
    const client = await connectCluster(cluster)
    onTestFinished(() => client.destroy())
    return client
  },
  'an ioredis cluster': async () => {
    const client = new Cluster(cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })))
    onTestFinished(() => client.disconnect())
    return client
  },
}

it.each(Object.entries(clients))('waits for the replica of each master, with %s', async (prefix, connect) => {
  const stores = createRedisStorage({ client: await connect(), issuer, prefix, waitForReplicas: 1 })
  await fill(stores)

  for (const operate of Object.values({ ...reads, ...writes })) await operate(stores)
  for (const digest of digests) await stores.codes.insert(aCodeRecord({ digest }))
  const outcomes = await Promise.all(
    digests.map((digest) => stores.codes.consume(digest, code.clientId, code.issuedAt)),
  )

  expect(outcomes.map(({ outcome }) => outcome)).toEqual(digests.map(() => 'won'))
})

it.each(Object.entries(clients))('finds a master that has changed, with %s', async (client, connect) => {
  const prefix = `changed ${client}`
  const stores = createRedisStorage({ client: await connect(), issuer, prefix, waitForReplicas: 1 })
  for (const digest of digests) await stores.codes.insert(aCodeRecord({ digest }))

  const replicas = await replicasOf(cluster)
  for (const replica of replicas) await failOver(replica)
  const outcomes = await Promise.all(
    digests.map((digest) => untilAnswered(() => stores.codes.consume(digest, code.clientId, code.issuedAt))),
  )

  // A consumption whose answer was lost may have happened.
  expect([...new Set(outcomes.map(({ outcome }) => outcome))]).toContain('won')
  expect(outcomes.every(({ outcome }) => outcome === 'won' || outcome === 'replayed')).toBe(true)
})

async function replicasOf({ nodes }: RedisCluster): Promise<readonly RedisServer[]> {
  const roles = await Promise.all(nodes.map(async (node) => ({ node, role: await roleOf(node) })))
  return roles.flatMap(({ node, role }) => (role === 'slave' ? [node] : []))
}

/** Makes a replica the master of its slots. It has everything that was confirmed. */
async function failOver(replica: RedisServer): Promise<void> {
  const client = await connectClient(replica)
  await client.sendCommand(['CLUSTER', 'FAILOVER', 'TAKEOVER'])
  client.destroy()
  while ((await roleOf(replica)) !== 'master');
}

async function roleOf(node: RedisServer): Promise<unknown> {
  const client = await connectClient(node)
  const [role] = (await client.sendCommand(['ROLE'])) as unknown as readonly unknown[]
  client.destroy()
  return role
}

/** Repeats work while the storage is unavailable; the new master has no replica at first. */
async function untilAnswered<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 20) throw error
    }
  }
}
