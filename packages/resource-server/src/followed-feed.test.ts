import { describe, expect, it } from 'vitest'

import { aFeed, aToken } from '../test/feed-under-test.ts'
import { deferred } from '../test/deferred.ts'
import type { FeedAnswer } from '../test/feed-server.ts'

describe('a revocation feed in the mode follow', () => {
  it('receives revocations in the background, so that requests do not wait', async () => {
    const later = deferred<FeedAnswer>()
    const secondRequest = deferred()
    const { at, feed, requests } = await aFeed(
      async (_request, count) => {
        if (count === 1) return {}
        secondRequest.resolve()
        return later.promise
      },
      { mode: 'follow' },
    )
    await secondRequest.promise
    const before = await feed.statusOf(aToken(), 'key-1')
    at.seconds += 7
    const afterSevenSeconds = await feed.statusOf(aToken(), 'key-1')
    later.resolve({ revocations: [['client', 'c', 2000]] })
    await expect.poll(async () => feed.statusOf(aToken(), 'key-1')).toBe('revoked')

    expect([before, afterSevenSeconds]).toEqual(['active', 'active'])
    expect(requests[0]).toMatchObject({ cursor: null, wait: '5' })
    expect(requests[1]).toMatchObject({ cursor: 'log.1', wait: '5' })
  })

  it('is polled by a request when no response arrived for 7.5 seconds', async () => {
    const { at, feed, requests } = await aFeed(
      async ({ wait }, count) => (wait === '5' && count > 1 ? new Promise<never>(() => undefined) : {}),
      { mode: 'follow' },
    )
    await expect.poll(() => requests.length).toBe(2)

    at.seconds += 7.5
    const status = await feed.statusOf(aToken(), 'key-1')

    expect([status, requests.at(-1)?.wait]).toEqual(['active', '0'])
  })

  it('stops polling after stop()', async () => {
    const { feed, requests } = await aFeed(() => ({}), { mode: 'follow' })
    await expect.poll(() => requests.length).toBeGreaterThan(0)

    feed.stop()
    const countAtStop = requests.length
    await new Promise((resolve) => setImmediate(resolve))

    expect(requests.length - countAtStop).toBeLessThanOrEqual(1)
  })

  it('drops a response that a later request has overtaken, and continues at the newer cursor at once', async () => {
    const late = deferred<FeedAnswer>()
    const { at, feed, requests } = await aFeed(
      async (_, count) => {
        if (count > 4) return new Promise<never>(() => undefined)
        return count === 2 ? late.promise : {}
      },
      { mode: 'follow' },
    )
    await expect.poll(() => requests.length).toBe(2)
    at.seconds += 7.5
    await feed.statusOf(aToken(), 'key-1')

    late.resolve({})
    await expect.poll(() => requests.length).toBeGreaterThan(3)

    expect(requests[3]).toMatchObject({ cursor: 'log.3', wait: '0' })
  })

  it('never overrides newer revocations with an older response', async () => {
    const late = deferred<FeedAnswer>()
    const { at, feed, requests } = await aFeed(
      async ({ wait }, count) => {
        if (count === 2) return late.promise
        return wait === '0' && count === 3 ? { revocations: [['client', 'c', 2000]] } : {}
      },
      { mode: 'follow' },
    )
    await expect.poll(() => requests.length).toBe(2)
    at.seconds += 7.5
    const known = await feed.statusOf(aToken(), 'key-1')

    late.resolve({ revocations: [['client', 'c', 0]] })
    await expect.poll(() => requests.length).toBeGreaterThan(3)

    expect([known, await feed.statusOf(aToken(), 'key-1')]).toEqual(['revoked', 'revoked'])
  })
})
