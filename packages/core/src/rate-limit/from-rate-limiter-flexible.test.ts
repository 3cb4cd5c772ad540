import { epochSeconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { expect, it } from 'vitest'

import { toRateLimiter } from './from-rate-limiter-flexible.ts'

const now = epochSeconds(1000)

it('RFC 6585 §4: tells how long to wait, in whole seconds', async () => {
  const limiter = toRateLimiter({
    consume: () => Promise.reject(Object.assign(new Error(), { msBeforeNext: 1200 })),
  })

  expect(await limiter.consume('key', now)).toEqual({ allowed: false, retryAfter: 2 })
})

it.each([0, -1, 0.2])('RFC 9110 §10.2.3: never asks for another try at once: %s milliseconds', async (msBeforeNext) => {
  const limiter = toRateLimiter({
    consume: () => Promise.reject(Object.assign(new Error(), { msBeforeNext })),
  })

  expect(await limiter.consume('key', now)).toEqual({ allowed: false, retryAfter: 1 })
})

it('tells what is left until when, where the limiter knows its limit', async () => {
  const count = { msBeforeNext: 1200, remainingPoints: 4 }
  const consume = () => Promise.resolve(count)

  const [known, unknown] = [toRateLimiter({ points: 5, consume }), toRateLimiter({ consume })]

  expect(await known.consume('key', now)).toEqual({ allowed: true, quota: { limit: 5, remaining: 4, resetAfter: 2 } })
  expect(await unknown.consume('key', now)).toEqual({ allowed: true })
})

it('design §4: a limiter whose store is down is an outage, and no server error', async () => {
  const cause = new Error('ECONNREFUSED')
  const limiter = toRateLimiter({ consume: () => Promise.reject(cause) })

  await expect(limiter.consume('key', now)).rejects.toThrow(StorageUnavailableError)
  await expect(limiter.consume('key', now)).rejects.toMatchObject({ cause })
})
