import { epochSeconds, seconds, StorageUnavailableError, type EndingStore, type Storage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { createRevocationFeed } from './revocation-feed.ts'

const now = epochSeconds(1_800_000_000)

/** A feed, the storage that it tells of, and how often that was asked for a list. */
function aFeed(change: Partial<EndingStore> = {}) {
  const { endings } = createMemoryStorage({ issuer: 'https://as.test' })
  let looks = 0
  const counted: EndingStore = { ...endings, list: (page) => ((looks += 1), endings.list(page)), ...change }
  const feed = createRevocationFeed({ endings: counted, toldFor: seconds(900) })
  return {
    feed,
    looks: () => looks,
    end: (tokenId: string) => endings.endToken({ tokenId, expiresAt: epochSeconds(now + 600), now }),
    wait: (cursor: string | undefined, atMost: number) => feed.waitBehind(cursor, now, seconds(atMost)),
    head: async () => (await feed.read(undefined, now)).cursor,
  }
}

/** In milliseconds. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work
  return performance.now() - started
}

describe('who waits for an ending', () => {
  it('is answered soon after somebody else has written one', async () => {
    const { end, wait, head } = aFeed()
    await end('old')
    const cursor = await head()

    const waits = [wait(cursor, 20), wait(cursor, 20), wait('start', 20)]
    await waits[2]
    await end('new')

    expect(await timeOf(Promise.all(waits))).toBeLessThan(1000)
  })

  it('does not wait who has something to read, or who does not want to', async () => {
    const { end, wait } = aFeed()
    await end('a')

    expect(await timeOf(Promise.all([wait(undefined, 20), wait('start', 20), wait('other', 20), wait('7.other', 20)]))).toBeLessThan(1000)
    const empty = aFeed()
    expect([await timeOf(empty.wait('start', 0)), empty.looks()]).toEqual([expect.closeTo(0, -2), 0])
  })

  it('is let go when the time is over', async () => {
    const { wait } = aFeed()

    expect(await timeOf(wait(undefined, 1))).toBeGreaterThan(900)
  })

  it('looks at the storage ten times a second, however many wait', async () => {
    const { looks, wait } = aFeed()

    await Promise.all(Array.from({ length: 100 }, () => wait(undefined, 1)))

    // Each reads when it comes, and ten times in this second one of them has looked.
    expect(looks()).toBeGreaterThan(100)
    expect(looks()).toBeLessThanOrEqual(100 + 12)
  })

  it('is answered at once when a thousand wait already', async () => {
    const { end, wait, head } = aFeed()
    await end('old')
    const cursor = await head()
    const waits = Array.from({ length: 1000 }, () => wait(cursor, 20))

    const milliseconds = await timeOf(wait(cursor, 20))

    await end('new')
    await Promise.all(waits)
    expect(milliseconds).toBeLessThan(1000)
  })

  it('is told soon from the beginning when the database was set back meanwhile, and of what ends in it', async () => {
    const [before, restored] = [createMemoryStorage({ issuer: 'https://as.test' }), createMemoryStorage({ issuer: 'https://as.test' })]
    const end = (storage: Storage, tokenId: string) => storage.endings.endToken({ tokenId, expiresAt: epochSeconds(now + 600), now })
    let present = before
    const { wait, head } = aFeed({ list: (page) => present.endings.list(page) })
    for (const name of ['kept', 'lost', 'lost too']) await end(before, name)
    await end(restored, 'kept')

    const waiting = wait(await head(), 3)
    present = restored
    const told = await timeOf(waiting)
    const next = wait(await head(), 3)
    await end(restored, 'new')

    expect(told).toBeLessThan(1000)
    expect(await timeOf(next)).toBeLessThan(1000)
  })

  it('RFC 9110 §15.6.4: is told when the storage cannot answer', async () => {
    const { wait } = aFeed({ list: () => Promise.reject(new StorageUnavailableError('down')) })

    await expect(wait(undefined, 20)).rejects.toThrow('down')
  })
})
