import { epochSeconds, userId, type EpochSeconds } from '@mintmark/storage-interface'
import type { ExpiringStores } from '@mintmark/storage-interface/stores'
import { aCodeRecord, aDigest, anInteractionRecord, anOpaqueTokenRecord } from '@mintmark/storage-interface/fixtures'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createRedisStorage } from '../src/index.ts'
import { fill, reads, writes } from './support/every-operation.ts'
import { connectClient } from './support/redis-clients.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'

let server: RedisServer
let client: Awaited<ReturnType<typeof connectClient>>
let stores: ExpiringStores

beforeEach(async () => {
  server = await startRedis()
  client = await connectClient(server)
  stores = createRedisStorage({ client, issuer: 'https://issuer.example' })
})
afterEach(async () => {
  client.destroy()
  await server.stop()
})

describe('keys', () => {
  it('always have a time to live, after any operation', async () => {
    await fill(stores)
    for (const operate of Object.values({ ...reads, ...writes })) await operate(stores)

    const keys = await client.keys('*')
    const lives = await Promise.all(keys.map((key) => client.ttl(key)))
    expect(keys).toHaveLength(10)
    expect(lives.filter((life) => life <= 0)).toEqual([])
  })

  it('live five minutes longer than their record, and keys of replay marks 65 minutes longer, by the clock of the caller or of Redis, whichever is slower', async () => {
    // The first clock is years behind the clock of Redis. The second agrees with it.
    for (const now of [epochSeconds(1000), epochSeconds(Number((await client.time())[0]))]) {
      await client.flushDb()
      await stores.codes.insert(aCodeRecord({ issuedAt: now, expiresAt: epochSeconds(now + 60) }))
      await stores.replays.markUsed({
        purpose: 'client_assertion_jti',
        value: 'jti',
        expiresAt: epochSeconds(now + 600),
        now,
      })
      const lives = await Promise.all(['*:code:*', '*:client_assertion_jti:*'].map(lifeOf))

      expect(lives[0]).toBeOneOf([359, 360, 361])
      expect(lives[1]).toBeOneOf([4499, 4500, 4501])
    }
  })

  it('of opaque tokens live five minutes longer than their records, by the clock of Redis alone', async () => {
    const now = Number((await client.time())[0])

    await stores.opaqueTokens.insert(anOpaqueTokenRecord({ expiresAt: epochSeconds(now + 600) }))

    expect(await lifeOf('*:token:*')).toBeOneOf([899, 900, 901])
  })

  it('are not written when a time is not a number, because they would never expire', async () => {
    const nan = Number.NaN as EpochSeconds

    await expect(stores.codes.insert(aCodeRecord({ expiresAt: nan }))).rejects.toThrow(TypeError)
    await expect(stores.interactions.insert(anInteractionRecord({ createdAt: nan }))).rejects.toThrow(TypeError)
    await expect(stores.opaqueTokens.insert(anOpaqueTokenRecord({ expiresAt: nan }))).rejects.toThrow(TypeError)
    await expect(
      stores.replays.markUsed({ purpose: 'client_assertion_jti', value: 'jti', expiresAt: nan, now: nan }),
    ).rejects.toThrow(TypeError)
    expect(await client.dbSize()).toBe(0)
  })

  it('begin with the configured prefix, and contain digests of the issuer and of used values', async () => {
    const tenant = createRedisStorage({ client, issuer: 'https://issuer.example', prefix: 'tenant' })

    await fill(tenant)

    expect(await client.keys('tenant:*')).toHaveLength(5)
    expect(await client.keys('*example*')).toEqual([])
    expect(await client.keys('*jti-1*')).toEqual([])
  })

  it('differ for ill-formed strings that UTF-8 encodes as the same bytes', async () => {
    const claim = { purpose: 'client_assertion_jti', expiresAt: epochSeconds(60), now: epochSeconds(0) } as const

    expect(await stores.replays.markUsed({ ...claim, value: '\ud800' })).toEqual({ outcome: 'fresh' })
    expect(await stores.replays.markUsed({ ...claim, value: '\ud801' })).toEqual({ outcome: 'fresh' })
  })

  it('are treated as expired when the time of the caller is not a number', async () => {
    await fill(stores)
    const { digest, clientId } = aCodeRecord()

    expect(await stores.codes.consume(digest, clientId, Number.NaN as EpochSeconds)).toEqual({ outcome: 'absent' })
  })
})

describe('reading an incomplete record', () => {
  it('throws an error that names the missing member of a code', async () => {
    const code = aCodeRecord({ digest: aDigest('whole') })
    const { codes } = stores
    await codes.insert(code)
    const [key = ''] = await client.keys('*:code:*')
    const stored = JSON.parse((await client.hGet(key, 'record')) ?? '{}') as Record<string, unknown>

    for (const name of Object.keys(code)) {
      await client.hSet(key, 'record', JSON.stringify({ ...stored, [name]: undefined }))
      await expect(codes.find(code.digest, code.clientId, code.issuedAt), name).rejects.toThrow(name)
    }
    await client.hSet(key, 'record', JSON.stringify(stored))
    expect(await codes.find(code.digest, code.clientId, code.issuedAt)).toEqual(code)
  })

  it.for(['owner', 'expiresAt', 'record', 'version'])(
    'does not return an interaction without its field %s',
    async (field) => {
      const interaction = anInteractionRecord()
      await stores.interactions.insert(interaction)
      const [key = ''] = await client.keys('*:interaction:*')
      await client.hDel(key, field)

      const found = await reads['interactions.find']?.(stores).catch((error: unknown) => error)
      const consumed = await writes['interactions.consume']?.(stores).catch((error: unknown) => error)

      expect(found === undefined || found instanceof Error).toBe(true)
      expect(consumed instanceof Error || JSON.stringify(consumed) === '{"outcome":"absent"}').toBe(true)
    },
  )

  it.each([
    ['no', async (key: string) => client.hDel(key, 'version')],
    ['an empty', async (key: string) => client.hSet(key, 'version', '')],
    ['an invalid', async (key: string) => client.hSet(key, 'version', '1e3')],
  ])('throws for an interaction with %s version, which nobody could update', async (_, spoil) => {
    await stores.interactions.insert(anInteractionRecord())
    const [key = ''] = await client.keys('*:interaction:*')
    await spoil(key)

    await expect(reads['interactions.find']?.(stores)).rejects.toThrow('no valid version')
  })
})

it('reads a login that was stored before logins had inSession', async () => {
  const login = {
    userId: userId('user-1'),
    userGeneration: 0,
    authentication: aCodeRecord().authentication,
    inSession: true,
  }
  const interaction = anInteractionRecord({ login })
  await stores.interactions.insert(interaction)
  const [key = ''] = await client.keys('*:interaction:*')
  const stored = JSON.parse((await client.hGet(key, 'login')) ?? '{}') as Record<string, unknown>
  await client.hSet(key, 'login', JSON.stringify({ ...stored, inSession: undefined }))

  expect(await reads['interactions.find']?.(stores)).toEqual({
    ...interaction,
    login: { ...login, inSession: undefined },
  })
})

async function lifeOf(pattern: string): Promise<number> {
  const [key = ''] = await client.keys(pattern)
  return client.ttl(key)
}
