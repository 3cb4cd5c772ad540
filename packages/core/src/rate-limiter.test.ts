import { epochSeconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'
import {
  bucketOf,
  createMemoryRateLimiter,
  type FlexibleLimiter,
  type RateLimiter,
  toRateLimiter,
} from './rate-limiter.ts'

const at = epochSeconds

describe('rate limiter in memory', () => {
  it('counts each of many concurrent attempts', async () => {
    const limiter = createMemoryRateLimiter({ points: 99, window: 60 })

    const decisions = await Promise.all(Array.from({ length: 100 }, () => limiter.consume('k', at(0))))

    expect(decisions.filter(({ allowed }) => !allowed)).toMatchObject([{ allowed: false, retryAfter: 60 }])
  })

  it('returns how long to wait, and allows attempts again when the window has ended', async () => {
    const limiter = createMemoryRateLimiter({ points: 1, window: 60 })
    await limiter.consume('k', at(0))

    expect(await limiter.consume('k', at(20))).toMatchObject({ allowed: false, retryAfter: 40 })
    expect(await limiter.consume('k', at(60))).toMatchObject({ allowed: true })
  })

  it('keeps nobody waiting for longer than a window when the clock is set back', async () => {
    const limiter = createMemoryRateLimiter({ points: 1, window: 60 })
    await limiter.consume('k', at(3600))
    await limiter.consume('k', at(3600))

    expect(await limiter.consume('k', at(0))).toMatchObject({ allowed: true })
    expect(await limiter.consume('k', at(0))).toMatchObject({ allowed: false, retryAfter: 60 })
  })

  it('returns how many attempts are left and for how long, and never a negative number', async () => {
    const limiter = createMemoryRateLimiter({ points: 2, window: 60 })

    const quotas = [
      await limiter.consume('k', at(0)),
      await limiter.consume('k', at(10)),
      await limiter.consume('k', at(20)),
    ]

    expect(quotas.map(({ quota }) => quota)).toEqual([
      { limit: 2, remaining: 1, resetAfter: 60 },
      { limit: 2, remaining: 0, resetAfter: 50 },
      { limit: 2, remaining: 0, resetAfter: 40 },
    ])
  })

  it('counts each key separately', async () => {
    const limiter = createMemoryRateLimiter({ points: 1, window: 60 })
    await limiter.consume('a', at(0))

    expect(await limiter.consume('b', at(0))).toMatchObject({ allowed: true })
  })

  const consumeOtherKeys = async (limiter: RateLimiter, prefix: string, now: number): Promise<readonly boolean[]> => {
    const allowed: boolean[] = []
    for (let key = 0; key < 10_001; key += 1) allowed.push((await limiter.consume(`${prefix}${key}`, at(now))).allowed)
    return allowed
  }

  it('keeps a key throttled until its window has ended, however many other keys are used', async () => {
    const limiter = createMemoryRateLimiter({ points: 10, window: 60 })
    for (let tried = 0; tried < 11; tried += 1) await limiter.consume('victim', at(0))

    await consumeOtherKeys(limiter, 'a', 20)
    expect(await limiter.consume('victim', at(20))).toMatchObject({ allowed: false, retryAfter: 40 })
    await consumeOtherKeys(limiter, 'b', 59)
    expect(await limiter.consume('victim', at(59))).toMatchObject({ allowed: false, retryAfter: 1 })
    await consumeOtherKeys(limiter, 'c', 60)
    expect(await limiter.consume('victim', at(60))).toMatchObject({ allowed: true })
  })

  const keySharingCounterWith = (key: string): string => {
    const names = Array.from({ length: 1_000_000 }, (_, at) => `n${at}`)
    const rival = names.find((name) => bucketOf(name, 65_536) === bucketOf(key, 65_536))
    if (rival === undefined) throw new Error('No name shares the counter.')
    return rival
  }

  it('keeps a key throttled after an attempt on another key that shares its counter', async () => {
    const limiter = createMemoryRateLimiter({ points: 10, window: 60 })
    const rival = keySharingCounterWith('victim')
    for (let tried = 0; tried < 11; tried += 1) await limiter.consume('victim', at(0))
    await limiter.consume(rival, at(0))

    await consumeOtherKeys(limiter, 'a', 1)

    expect(await limiter.consume('victim', at(1))).toMatchObject({ allowed: false })
  })

  it('counts attempts on ten thousand keys individually, whether or not two of them would share a counter', async () => {
    const limiter = createMemoryRateLimiter({ points: 10, window: 60 })
    const rival = keySharingCounterWith('victim')
    for (let tried = 0; tried < 10; tried += 1) await limiter.consume(rival, at(0))
    for (let key = 1; key < 10_000; key += 1) await limiter.consume(`other${key}`, at(0))

    expect(await limiter.consume('victim', at(0))).toMatchObject({ allowed: true, quota: { remaining: 9 } })
  })

  it('counts all attempts on a key, even if many other keys are used in between', async () => {
    const limiter = createMemoryRateLimiter({ points: 10, window: 60 })
    const allowed: boolean[] = []

    for (const round of ['a', 'b', 'c']) {
      for (let tried = 0; tried < 5; tried += 1) allowed.push((await limiter.consume('victim', at(0))).allowed)
      await consumeOtherKeys(limiter, round, 0)
    }

    expect(allowed.filter(Boolean)).toHaveLength(10)
  })

  it('allows the first attempts on each of thirty thousand keys', async () => {
    const limiter = createMemoryRateLimiter({ points: 10, window: 60 })

    const allowed = [
      await consumeOtherKeys(limiter, 'a', 0),
      await consumeOtherKeys(limiter, 'b', 0),
      await consumeOtherKeys(limiter, 'c', 0),
    ].flat()

    expect(allowed.every(Boolean)).toBe(true)
  })
})

const now = epochSeconds(1000)

it('returns how long to wait, in whole seconds (RFC 6585 §4)', async () => {
  const limiter = toRateLimiter({
    consume: () => Promise.reject(Object.assign(new Error(), { msBeforeNext: 1200 })),
  })

  expect(await limiter.consume('key', now)).toEqual({ allowed: false, retryAfter: 2 })
})

it.each([0, -1, 0.2])(
  'returns a wait of at least one second, for %s milliseconds (RFC 9110 §10.2.3)',
  async (msBeforeNext) => {
    const limiter = toRateLimiter({
      consume: () => Promise.reject(Object.assign(new Error(), { msBeforeNext })),
    })

    expect(await limiter.consume('key', now)).toEqual({ allowed: false, retryAfter: 1 })
  },
)

it('returns how many attempts are left and for how long, if the limiter knows its limit', async () => {
  const count = { msBeforeNext: 1200, remainingPoints: 4 }
  const consume = () => Promise.resolve(count)

  const [known, unknown] = [toRateLimiter({ points: 5, consume }), toRateLimiter({ consume })]
  const uncounted = toRateLimiter({ points: 5, consume: () => Promise.resolve({ msBeforeNext: 1200 }) })

  expect(await known.consume('key', now)).toEqual({ allowed: true, quota: { limit: 5, remaining: 4, resetAfter: 2 } })
  expect(await unknown.consume('key', now)).toEqual({ allowed: true })
  expect(await uncounted.consume('key', now)).toEqual({ allowed: true })
})

it('refuses a limiter without the function consume', () => {
  expect(() => toRateLimiter({ points: 5 } as FlexibleLimiter)).toThrow('toRateLimiter: the limiter must')
})

it("reports an outage of the limiter's store as an outage, not as a server error", async () => {
  const cause = new Error('ECONNREFUSED')
  const limiter = toRateLimiter({ consume: () => Promise.reject(cause) })

  await expect(limiter.consume('key', now)).rejects.toThrow(StorageUnavailableError)
  await expect(limiter.consume('key', now)).rejects.toMatchObject({ cause })
})
