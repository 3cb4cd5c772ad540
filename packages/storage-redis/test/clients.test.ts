import { Cluster, Redis } from 'ioredis'
import { createClientPool, createSentinel } from 'redis'
import { expect, it, onTestFinished } from 'vitest'

import { createRedisStorage, type RedisClient } from '../src/index.ts'
import { fill, reads } from './support/every-operation.ts'
import { startRedisCluster } from './support/redis-cluster.ts'
import { startRedis } from './support/redis-server.ts'

const issuer = 'https://issuer.example'

it('accepts a node-redis pool as a client', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const pool = createClientPool({ url: server.url })
  // A connection that the pool opens late can be reset when the server stops; without a listener that is an uncaught error.
  await pool.on('error', () => {}).connect()
  onTestFinished(() => pool.destroy())

  await expectToServe(pool)
})

it('accepts an ioredis cluster as a client', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.stop())
  const client = new Cluster(cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })))
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())

  await expectToServe(client)
})

it.each([0, -1, 0.5, Number.NaN])('refuses a timeout of %s milliseconds at start-up', (timeoutMilliseconds) => {
  const client = new Redis({ lazyConnect: true })

  expect(() => createRedisStorage({ client, issuer, timeoutMilliseconds })).toThrow(
    'createRedisStorage: timeoutMilliseconds must be a whole number, 1 or more.',
  )
})

it('accepts a timeout of one millisecond', () => {
  const client = new Redis({ lazyConnect: true })

  expect(createRedisStorage({ client, issuer, timeoutMilliseconds: 1 }).issuer).toBe(issuer)
})

it('rejects an unknown option and lists the existing options', () => {
  const options = { client: new Redis({ lazyConnect: true }), issuer, timeout: 3000 }

  expect(() => createRedisStorage(options)).toThrow(
    'createRedisStorage: timeout is not an option. The options are client, issuer, prefix, timeoutMilliseconds, waitForReplicas, onWarning.',
  )
})

it('accepts the type of a node-redis sentinel as a client', () => {
  const sentinel: RedisClient = createSentinel({
    name: 'main',
    sentinelRootNodes: [{ host: '127.0.0.1', port: 26_379 }],
  })

  expect(createRedisStorage({ client: sentinel, issuer }).issuer).toBe(issuer)
})

async function expectToServe(client: RedisClient): Promise<void> {
  const stores = createRedisStorage({ client, issuer })
  await fill(stores)

  const found = await Promise.all(Object.values(reads).map(async (read) => read(stores)))

  expect(found).toEqual(Object.keys(reads).map(() => expect.anything() as unknown))
}
