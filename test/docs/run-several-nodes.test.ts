import { registerClient } from '@mintmark/core'
import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { migrate } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'

import { startRedis } from '../../packages/storage-redis/test/support/redis-server.ts'
import type { TestDatabase } from '../../packages/storage-sql/test/support/postgres-database.ts'
import { aDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { sendTo } from './client-at-app.ts'
import { maintain, startMaintenance } from '../../docs/snippets/run-several-nodes/maintain.ts'
import { createNode } from '../../docs/snippets/run-several-nodes/node.ts'
import { withRedis } from '../../docs/snippets/run-several-nodes/with-redis.ts'

let database: TestDatabase
let nodes: readonly [Awaited<ReturnType<typeof createNode>>, Awaited<ReturnType<typeof createNode>>]
let authorization: string
beforeAll(async () => {
  database = await aDatabase()
  await migrate({ dialect: toPostgresDialect(database.pool()) })
  nodes = [await createNode(database.pool(), 'A'.repeat(43)), await createNode(database.pool(), 'A'.repeat(43))]
  const machine = {
    clientId: 'job',
    clientName: 'Job',
    grantTypes: ['client_credentials'],
    servedAudiences: ['https://login.example'],
  }
  const { clientSecret } = await registerClient(machine, { storage: nodes[0].storage })
  authorization = `Basic ${btoa(`job:${clientSecret}`)}`
})
afterAll(() => database.remove())

const post = (
  node: 0 | 1,
  path: string,
  { proof = authorization, ...form }: Readonly<Record<string, string>>,
): Promise<Response> =>
  sendTo(nodes[node].server)(`https://login.example${path}`, {
    method: 'POST',
    headers: { authorization: proof },
    body: new URLSearchParams(form),
  })

it('both nodes accept a token that one issues, and reject it after either revokes it', async () => {
  const issued = (await (await post(0, '/token', { grant_type: 'client_credentials' })).json()) as {
    readonly access_token: string
  }
  const isActive = async (node: 0 | 1): Promise<unknown> =>
    (
      (await (await post(node, '/token/introspection', { token: issued.access_token })).json()) as {
        readonly active: unknown
      }
    ).active

  const before = [await isActive(0), await isActive(1)]
  await post(1, '/token/revocation', { token: issued.access_token })

  expect([before, await isActive(0), await isActive(1)]).toEqual([[true, true], false, false])
})

it('wrong secrets at two nodes are counted together (RFC 6749 §2.3.1)', async () => {
  const guess = (node: 0 | 1) =>
    post(node, '/token', { grant_type: 'client_credentials', proof: `Basic ${btoa('job:guess')}` })
  const statuses = await Promise.all(
    Array.from({ length: 110 }, async (_, index) => (await guess(index % 2 === 0 ? 0 : 1)).status),
  )

  expect(statuses.filter((status) => status === 401)).toHaveLength(100)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
})

it('concurrent maintenance on all nodes leaves one new key per algorithm', async () => {
  await Promise.all([maintain(nodes[0]), maintain(nodes[1]), maintain(nodes[0])])

  const { keys } = (await (await sendTo(nodes[1].server)('https://login.example/jwks')).json()) as {
    readonly keys: readonly unknown[]
  }
  expect(keys).toHaveLength(2)
})

it('a run of the maintenance that fails is reported, and the next one follows', async () => {
  vi.useFakeTimers()
  const report = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => void vi.useRealTimers().restoreAllMocks())
  const keys = { ...nodes[0].keys, rotate: () => Promise.reject(new Error('The database is down.')) }

  const timer = startMaintenance({ ...nodes[0], keys })
  await vi.advanceTimersByTimeAsync(600_000)
  clearInterval(timer)

  expect(report).toHaveBeenCalledTimes(2)
})

it('with Redis, short-lived records are in Redis and all other records stay in the database', async () => {
  const redis = await startRedis()
  const { storage, close } = await withRedis(nodes[0].storage, redis.url)
  onTestFinished(async () => {
    await close()
    await redis.stop()
  })
  const now = epochSeconds(Date.now() / 1000)
  const claim = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: epochSeconds(now + 60), now } as const

  const outcomes = [
    await storage.replays.markUsed(claim),
    await storage.replays.markUsed(claim),
    await nodes[0].storage.replays.markUsed(claim),
  ]

  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['fresh', 'seen', 'fresh'])
  expect(await storage.clients.find(clientId('job'))).toMatchObject({ clientName: 'Job' })
})
