import { epochSeconds } from '@mintmark/storage-interface'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'

import { createRedisStorage, type RedisClient } from '../src/index.ts'
import { connectClient, connectIoRedis } from './support/redis-clients.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'

const issuer = 'https://issuer.example'
const now = epochSeconds(1_790_000_000)
const claim = { purpose: 'client_assertion_jti', value: 'jti', expiresAt: epochSeconds(now + 60), now } as const

let server: RedisServer
let client: Awaited<ReturnType<typeof connectClient>>
beforeEach(async () => {
  server = await startRedis()
  client = await connectClient(server)
})
afterEach(async () => {
  client.destroy()
  await server.stop()
})

it.each(['allkeys-lru', 'volatile-lru', 'volatile-ttl'])('warns that %s removes replay marks', async (policy) => {
  await client.configSet('maxmemory-policy', policy)
  const ioRedis = await connectIoRedis(server)
  onTestFinished(() => ioRedis.disconnect())

  const warnings = await Promise.all([client, ioRedis].map(warningOf))

  for (const warning of warnings)
    expect(warning).toBe(
      `Redis has maxmemory-policy ${policy}, which removes replay marks and revocations when memory is short. Set maxmemory-policy noeviction.`,
    )
})

it('warns that a restart without an append-only log forgets replay marks', async () => {
  await client.configSet('appendonly', 'no')
  const ioRedis = await connectIoRedis(server)
  onTestFinished(() => ioRedis.disconnect())

  const warnings = await Promise.all([client, ioRedis].map(warningOf))

  for (const warning of warnings)
    expect(warning).toBe(
      'Redis has appendonly no, so a restart forgets the last replay marks and revocations. Set appendonly yes.',
    )
})

it('gives no warning for noeviction and an append-only log', async () => {
  await client.configSet({ 'maxmemory-policy': 'noeviction', appendonly: 'yes' })

  expect(await warningsBeforeAnswer()).toEqual([])
})

it('gives no warning, and works, when the user may not call INFO', async () => {
  await client.configSet({ 'maxmemory-policy': 'allkeys-lru', appendonly: 'no' })
  await client.aclSetUser('default', ['-info'])

  expect(await warningsBeforeAnswer()).toEqual([])
})

it('warns once of each setting, on the console by default', async () => {
  await client.configSet({ 'maxmemory-policy': 'allkeys-lru', appendonly: 'no' })
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())

  const { replays } = createRedisStorage({ client, issuer })
  for (let call = 0; call < 4; call += 1) await replays.markUsed(claim)

  expect(warn.mock.calls).toEqual([
    [expect.stringContaining('Mintmark: Redis has maxmemory-policy allkeys-lru')],
    [expect.stringContaining('Mintmark: Redis has appendonly no')],
  ])
})

const warningOf = (client: RedisClient): Promise<string> =>
  new Promise((resolve, reject) => {
    const { replays } = createRedisStorage({ client, issuer, onWarning: resolve })
    replays.markUsed(claim).catch(reject)
  })

/** Commands of a connection are answered in order: the policy has been read when a later command is answered. */
async function warningsBeforeAnswer(): Promise<readonly string[]> {
  const warnings: string[] = []
  const { replays } = createRedisStorage({ client, issuer, onWarning: (message) => void warnings.push(message) })
  for (let call = 0; call < 4; call += 1) await replays.markUsed(claim)
  return warnings
}
