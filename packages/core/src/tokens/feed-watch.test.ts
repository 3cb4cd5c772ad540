import {
  clientId,
  epochSeconds,
  seconds,
  StorageUnavailableError,
  type RevocationStore,
  type Storage,
} from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { createRevocationFeed } from './feed-watch.ts'

const now = epochSeconds(1_800_000_000)

/** A feed, the storage that it tells of, and how often that was asked for a list. */
function aFeed(change: Partial<RevocationStore> = {}) {
  const { revocations: endings } = createMemoryStorage({ issuer: 'https://as.test' })
  const { list } = { ...endings, ...change }
  let [looks, callers] = [0, 0]
  const counted: RevocationStore = { ...endings, list: (page) => ((looks += 1), list(page)) }
  const feed = createRevocationFeed({ revocations: counted, retention: seconds(900) })
  return {
    feed,
    looks: () => looks,
    end: (tokenId: string) => endings.revokeToken({ tokenId, expiresAt: epochSeconds(now + 600), now }),
    /** Each time another caller, where none is named. */
    wait: (cursor: string | undefined, atMost: number, caller = `api-${(callers += 1)}`) =>
      feed.waitBehind({ cursor, wait: seconds(atMost) }, clientId(caller), now),
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
    const { end, wait, head, looks } = aFeed()
    await end('old')
    const cursor = await head()

    const waits = [wait(cursor, 20), wait(cursor, 20), wait('start', 20)]
    await waits[2]
    await end('new')
    const before = looks()
    await Promise.all(waits)

    // One is seen at the next look, and then read by each.
    expect(looks() - before).toBeLessThanOrEqual(4)
  })

  it('does not wait who has something to read, or who does not want to', async () => {
    const { end, wait, looks } = aFeed()
    await end('a')

    await Promise.all([wait(undefined, 20), wait('start', 20), wait('other', 20), wait('7.other', 20)])

    // Each has read once, and nobody has looked again.
    expect(looks()).toBe(4)
    const empty = aFeed()
    await empty.wait('start', 0)
    expect(empty.looks()).toBe(0)
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
    const { end, wait, head, looks } = aFeed()
    await end('old')
    const cursor = await head()
    const waits = Array.from({ length: 1000 }, () => wait(cursor, 20))
    const before = looks()

    await wait(cursor, 20)

    expect(looks() - before).toBeLessThan(1010)
    await end('new')
    await Promise.all(waits)
  })

  it('is answered at once when fifty of the same caller wait already, and others wait', async () => {
    const { end, wait, head } = aFeed()
    await end('old')
    const cursor = await head()
    const answered: string[] = []
    const waits = Array.from({ length: 50 }, () => wait(cursor, 20, 'greedy').then(() => answered.push('greedy')))

    const other = wait(cursor, 20, 'other').then(() => answered.push('other'))
    await wait(cursor, 20, 'greedy')

    expect(answered).toEqual([])
    await end('new')
    await Promise.all([...waits, other])
    // The places are free again.
    const again = wait(await head(), 1, 'greedy')
    expect(await timeOf(again)).toBeGreaterThan(900)
  })

  it('is told soon from the beginning when the database was set back meanwhile, and of what ends in it', async () => {
    const [before, restored] = [
      createMemoryStorage({ issuer: 'https://as.test' }),
      createMemoryStorage({ issuer: 'https://as.test' }),
    ]
    const end = (storage: Storage, tokenId: string) =>
      storage.revocations.revokeToken({ tokenId, expiresAt: epochSeconds(now + 600), now })
    let present = before
    const { wait, head, looks } = aFeed({ list: (page) => present.revocations.list(page) })
    for (const name of ['kept', 'lost', 'lost too']) await end(before, name)
    await end(restored, 'kept')

    const waiting = wait(await head(), 3)
    present = restored
    const start = looks()
    await waiting
    const told = looks()
    const next = wait(await head(), 3)
    await end(restored, 'new')
    await next

    // A wait until the end looks thirty times.
    expect(told - start).toBeLessThan(10)
    expect(looks() - told).toBeLessThan(10)
  })

  it('RFC 9110 §15.6.4: is told when the storage cannot answer', async () => {
    const { wait } = aFeed({ list: () => Promise.reject(new StorageUnavailableError('down')) })

    await expect(wait(undefined, 20)).rejects.toThrow('down')
  })
})
