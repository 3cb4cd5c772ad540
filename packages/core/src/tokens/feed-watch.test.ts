import {
  clientId,
  epochSeconds,
  seconds,
  StorageUnavailableError,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import { type RevocationStore } from '@mintmark/storage-interface/stores'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { createRevocationNames } from './access-token.ts'
import { createRevocationFeed, watchRevocations } from './feed-watch.ts'

const names = createRevocationNames({ deriveSecrets: () => Promise.resolve([new Uint8Array(32)]) })

const now = epochSeconds(1_800_000_000)

/** A feed over memory storage that counts the reads. */
function aFeed(change: Partial<RevocationStore> = {}) {
  const { revocations } = createMemoryStorage({ issuer: 'https://as.test' })
  const { list } = { ...revocations, ...change }
  let [reads, callers] = [0, 0]
  const counted: RevocationStore = { ...revocations, list: (page) => ((reads += 1), list(page)) }
  const time = aTime()
  const feed = createRevocationFeed(
    { revocations: counted, retention: seconds(900), names },
    watchRevocations(counted, time),
  )
  return {
    feed,
    ...time,
    reads: () => reads,
    revoke: (tokenId: string) => revocations.revokeToken({ tokenId, expiresAt: epochSeconds(now + 600), now }),
    /** Waits as the named caller, or as a new one. */
    wait: (cursor: string | undefined, atMost: number, caller = `api-${(callers += 1)}`) =>
      feed.waitForEntries({ cursor, wait: seconds(atMost) }, clientId(caller), now),
    head: async () => (await feed.read(undefined, now)).cursor,
  }
}

/** A simulated time that advances only while something waits. The pauses end in the order of their end times. */
function aTime() {
  let time = 0
  const pauses: { readonly until: number; readonly end: () => void }[] = []
  const endNext = (): void => {
    const [next] = pauses.toSorted((a, b) => a.until - b.until)
    if (next === undefined) return
    pauses.splice(pauses.indexOf(next), 1)
    time = Math.max(time, next.until)
    next.end()
  }
  return {
    elapsed: () => time,
    pause: (milliseconds: number) =>
      new Promise<void>((end) => {
        pauses.push({ until: time + milliseconds, end })
        // The other requests do their current work first.
        setImmediate(endNext)
      }),
  }
}

describe('a waiting request', () => {
  it('is answered soon after another process writes a revocation', async () => {
    const { revoke, wait, head, reads } = aFeed()
    await revoke('old')
    const cursor = await head()

    const waits = [wait(cursor, 20), wait(cursor, 20), wait('start', 20)]
    await waits[2]
    await revoke('new')
    const before = reads()
    await Promise.all(waits)

    // The next poll sees the entry, and then each request reads it.
    expect(reads() - before).toBeLessThanOrEqual(4)
  })

  it('is answered at once when entries are available, or with a wait of 0', async () => {
    const { revoke, wait, reads } = aFeed()
    await revoke('a')

    await Promise.all([wait(undefined, 20), wait('start', 20), wait('other', 20), wait('7.other', 20)])

    // Each has read once, and none has polled.
    expect(reads()).toBe(4)
    const empty = aFeed()
    await empty.wait('start', 0)
    expect(empty.reads()).toBe(0)
  })

  it('is answered when it has waited for the requested time', async () => {
    const { wait, elapsed } = aFeed()

    await wait(undefined, 1)

    expect(elapsed()).toBe(1000)
  })

  it('polls storage ten times a second, together with all other waiting requests', async () => {
    const { reads, wait } = aFeed()

    await Promise.all(Array.from({ length: 100 }, () => wait(undefined, 1)))

    // Each request reads once when it arrives, and one of them polls ten times in this second.
    expect(reads()).toBe(100 + 10)
  })

  it('is answered at once when a thousand others are already waiting', async () => {
    const { revoke, wait, head } = aFeed()
    await revoke('old')
    const cursor = await head()
    const answered: string[] = []
    const waits = Array.from({ length: 1000 }, () => wait(cursor, 20).then(() => answered.push('early')))

    await wait(cursor, 20)

    expect(answered).toEqual([])
    await revoke('new')
    await Promise.all(waits)
  })

  it('is answered at once when fifty others of the same caller are already waiting, while requests of other callers can wait', async () => {
    const { revoke, wait, head, elapsed } = aFeed()
    await revoke('old')
    const cursor = await head()
    const answered: string[] = []
    const waits = Array.from({ length: 50 }, () => wait(cursor, 20, 'greedy').then(() => answered.push('greedy')))

    const other = wait(cursor, 20, 'other').then(() => answered.push('other'))
    await wait(cursor, 20, 'greedy')

    expect(answered).toEqual([])
    await revoke('new')
    await Promise.all([...waits, other])
    // The caller can wait again.
    const before = elapsed()
    await wait(await head(), 1, 'greedy')
    expect(elapsed()).toBe(before + 1000)
  })

  it('starts from the beginning when the database was restored meanwhile, and receives later revocations', async () => {
    const [before, restored] = [
      createMemoryStorage({ issuer: 'https://as.test' }),
      createMemoryStorage({ issuer: 'https://as.test' }),
    ]
    const revoke = (storage: OAuthStorage, tokenId: string) =>
      storage.revocations.revokeToken({ tokenId, expiresAt: epochSeconds(now + 600), now })
    let current = before
    const { wait, head, reads } = aFeed({ list: (page) => current.revocations.list(page) })
    for (const name of ['kept', 'lost', 'lost too']) await revoke(before, name)
    await revoke(restored, 'kept')

    const waiting = wait(await head(), 3)
    current = restored
    const start = reads()
    await waiting
    const polled = reads()
    const next = wait(await head(), 3)
    await revoke(restored, 'new')
    await next

    // A request that waits for the full time polls thirty times.
    expect(polled - start).toBeLessThan(10)
    expect(reads() - polled).toBeLessThan(10)
  })

  it('fails when the storage cannot answer (RFC 9110 §15.6.4)', async () => {
    const { wait } = aFeed({ list: () => Promise.reject(new StorageUnavailableError('down')) })

    await expect(wait(undefined, 20)).rejects.toThrow('down')
  })
})
