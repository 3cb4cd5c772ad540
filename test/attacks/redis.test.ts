import { composeStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createRedisStorage, type NodeRedisClient, type RedisClient } from '@mintmark/storage-redis'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'

import {
  startRedis,
  type RedisServer,
  type RedisSettings,
} from '../../packages/storage-redis/test/support/redis-server.ts'
import { authorize, obtainCode, redeem, token } from '../support/flow.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const issuer = 'https://as.test'

describe('a server that stores expiring records in Redis', () => {
  it('answers 503 with Retry-After while Redis is down, and redeems the code afterwards', async () => {
    const redis = await start()
    const client = await connect(redis)
    const site = await serve(client)
    const code = await obtainCode(site)
    await redis.kill()

    const [redeemed, started] = [await redeem(site, code), await authorize(site)]

    expect([redeemed.status, redeemed.json['error']]).toEqual([503, 'temporarily_unavailable'])
    expect(Number(redeemed.header('retry-after'))).toBeGreaterThan(0)
    expect(site.lastReason()).toBe('storage_unavailable')
    expect(started.text + (started.header('location') ?? '')).not.toMatch(/code=/)

    const ready = new Promise<void>((resolve) => void client.once('ready', resolve))
    await redis.restart()
    await ready
    expect((await redeem(site, code)).status).toBe(200)
    expect((await redeem(site, code)).json['error']).toBe('invalid_grant')
  })

  it('when a failover has lost the redemption of a code, presenting the code again revokes its tokens', async () => {
    const master = await start()
    const replica = await start({ replicaof: `127.0.0.1 ${master.port}` })
    const [atMaster, atReplica] = [await connect(master), await connect(replica)]
    // Behaves like a client that follows the elected master.
    let elected = atMaster
    const following: NodeRedisClient = {
      evalSha: (sha1, options) => elected.evalSha(sha1, options),
      eval: (script, options) => elected.eval(script, options),
    }
    const site = await serve(following)
    const code = await obtainCode(site, { scope: 'openid offline_access' })
    await atMaster.sendCommand(['WAIT', '1', '0'])

    // The replica takes over while the server is still connected to the isolated master.
    await atReplica.sendCommand(['REPLICAOF', 'NO', 'ONE'])
    const first = await redeem(site, code)
    const firstInfo = await userinfo(site, first)
    await master.kill()
    elected = atReplica
    const second = await redeem(site, code)

    // The second presentation revokes the tokens from the first, as if the replay mark had not been lost (RFC 6749
    // §4.1.2).
    expect([first.status, firstInfo.status]).toEqual([200, 200])
    for (const reply of [first, second]) {
      expect((await userinfo(site, reply)).status).toBe(401)
      const refreshed = await token(site, {
        grant_type: 'refresh_token',
        refresh_token: String(reply.json['refresh_token']),
      })
      expect(refreshed.json['error']).toBe('invalid_grant')
    }
  })
})

const userinfo = (site: ServerUnderTest, tokens: Reply): Promise<Reply> =>
  site.send({ path: '/userinfo', headers: { authorization: `Bearer ${String(tokens.json['access_token'])}` } })

async function start(settings: RedisSettings = {}): Promise<RedisServer> {
  const server = await startRedis({ ...settings, 'repl-diskless-sync-delay': 0 })
  onTestFinished(() => server.stop())
  return server
}

async function connect({ url }: RedisServer) {
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: 20 } })
  await client.on('error', () => {}).connect()
  onTestFinished(() => client.destroy())
  return client
}

async function serve(client: RedisClient): Promise<ServerUnderTest> {
  const storage = composeStorage({
    durable: createMemoryStorage({ issuer }),
    expiring: createRedisStorage({ client, issuer }),
  })
  const site = await startServer({ storage })
  onTestFinished(() => site.close())
  return site
}
