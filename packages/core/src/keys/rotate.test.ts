import { setTimeout } from 'node:timers/promises'
import { systemRandom } from '@mintmark/internal'
import { keyId, type SigningKeyRecord } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it, vi } from 'vitest'

import { aRing, issuer, publishedKeyIds, schedule, sealingKey, signingKeyId } from '../../test/ring-under-test.ts'
import { documentMaxAge } from './public-document.ts'

import { withRowMac } from './authenticate-keys.ts'
import { createStoredKeys } from './stored-keys.ts'
import { createSealedVault, type KeyVault } from './vault.ts'

describe('rotate', () => {
  it('publishes a key before it signs, and until every token that it signed has expired (OIDC Core §10.1.1)', async () => {
    const { ring, clock } = aRing()
    const start = clock.now
    const first = await signingKeyId(ring)

    clock.now = start + 9000
    const rotation = await ring.rotate()
    const second = (await publishedKeyIds(ring)).find((keyId) => keyId !== first) ?? ''
    expect(rotation).toEqual({
      algorithms: [{ outcome: 'announced', algorithm: 'ES256', keyId: second, signsFrom: start + 10_000 }],
      removed: [],
    })
    expect(await signingKeyId(ring)).toBe(first)

    clock.now = start + 9999
    expect(await signingKeyId(ring)).toBe(first)
    clock.now = start + 10_000
    expect(await signingKeyId(ring)).toBe(second)
    clock.now = start + 11_999
    expect(await publishedKeyIds(ring)).toEqual([first, second])
    clock.now = start + 12_000
    expect(await publishedKeyIds(ring)).toEqual([second])
  })

  it('keeps the signing key in every cached copy of /jwks, even with the shortest announcement (OIDC Core §10.1.1)', async () => {
    const { ring, openAnother, clock } = aRing({ schedule: { announce: documentMaxAge + 5, sign: 605, retire: 300 } })
    const start = clock.now
    // Five servers that read storage at different seconds; copies are made before they notice a rotation.
    const servers = Array.from({ length: 5 }, openAnother)
    const copies: (readonly string[])[][] = []
    const lacking: number[] = []

    for (let time = 0; time < 1900; time += 1) {
      clock.now = start + time
      copies.push(await Promise.all(servers.slice(0, time + 1).map(publishedKeyIds)))
      await ring.rotate()
      const keyId = await signingKeyId(ring)
      if (copies[time - documentMaxAge]?.some((copy) => !copy.includes(keyId)) === true) lacking.push(time)
    }

    expect(lacking).toEqual([])
    expect(new Set(copies.flat(2)).size).toBeGreaterThan(3)
  })

  it('changes nothing before a rotation is due, and returns when it will be due', async () => {
    const { ring, clock } = aRing()
    const keyId = await signingKeyId(ring)
    const until = clock.now + 9000

    clock.now = until - 1
    const rotation = await ring.rotate()

    expect(rotation).toEqual({ algorithms: [{ outcome: 'waiting', algorithm: 'ES256', keyId, until }], removed: [] })
    expect(await publishedKeyIds(ring)).toEqual([keyId])
  })

  it('announces a key for the full time even when it is called late', async () => {
    const { ring, clock } = aRing()
    await signingKeyId(ring)
    clock.now += 50_000

    const { algorithms } = await ring.rotate()

    expect(algorithms).toMatchObject([{ outcome: 'announced', signsFrom: clock.now + schedule.announce }])
  })

  it.each(['due', 'now'] as const)('announces one key at a time (%s)', async (when) => {
    const { ring, clock, states } = aRing()
    await signingKeyId(ring)
    clock.now += 9500
    await ring.rotate()

    const { algorithms } = await ring.rotate({ when })

    expect(algorithms).toMatchObject([{ outcome: 'waiting' }])
    expect(await states()).toEqual(['signing', 'announced'])
  })

  it('announces the next key at once when requested, although the current one is new', async () => {
    const { ring, clock, states } = aRing()
    const first = await signingKeyId(ring)

    const { algorithms } = await ring.rotate({ when: 'now' })

    expect(algorithms).toMatchObject([{ outcome: 'announced', signsFrom: clock.now + schedule.announce }])
    expect(await states()).toEqual(['signing', 'announced'])
    expect(await signingKeyId(ring)).toBe(first)
  })

  it('creates the first keys, which sign at once, before any server has started', async () => {
    const { ring, clock } = aRing({ algorithms: ['ES256', 'EdDSA'] })

    const { algorithms } = await ring.rotate()

    expect(algorithms).toMatchObject([
      { outcome: 'announced', algorithm: 'ES256', signsFrom: clock.now },
      { outcome: 'announced', algorithm: 'EdDSA', signsFrom: clock.now },
    ])
  })

  it('creates one key when eight processes rotate at once, and returns it to all of them', async () => {
    const database = createMemoryDatabase()
    const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    const { ring, clock } = aRing({ database })
    const first = await signingKeyId(ring)
    const now = ring.settings.clock
    const rings = Array.from({ length: 8 }, () =>
      createStoredKeys({
        storage: createMemoryStorage({ issuer, database, scheduler: nextTurn }),
        sealingKey,
        algorithms: ['ES256'],
        schedule,
        clock: now,
      }),
    )
    clock.now += 9000

    const rotations = (await Promise.all(rings.map((each) => each.rotate()))).flatMap(({ algorithms }) => algorithms)

    const outcomes = rotations.map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'announced')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'announced_elsewhere').length).toBeGreaterThan(0)
    expect(new Set(rotations.map(({ keyId }) => keyId)).size).toBe(1)
    clock.now += 1000
    expect(await publishedKeyIds(ring)).toEqual([first, rotations[0]?.keyId])
  })

  it('deletes keys that were dropped long ago, but never the last two', async () => {
    const { ring, clock, storage, states } = aRing()
    const first = await signingKeyId(ring)

    const removed: string[] = []
    for (let time = 0; time < 60_000; time += 500) {
      clock.now += 500
      removed.push(...(await ring.rotate()).removed)
    }

    expect(removed[0]).toBe(first)
    expect(await storage.signingKeys.list()).toHaveLength(3)
    expect((await states()).filter((state) => state === 'signing')).toHaveLength(1)
  })
})

describe('list', () => {
  it('returns the state and the age of each key, without its private half', async () => {
    const { ring, clock } = aRing()
    const start = clock.now
    const first = await signingKeyId(ring)
    clock.now += 9000
    await ring.rotate()
    clock.now += 1500

    const keys = await ring.list()

    const second = await signingKeyId(ring)
    expect(keys).toEqual([
      {
        keyId: first,
        algorithm: 'ES256',
        state: 'retired',
        createdAt: start,
        age: 10_500,
        signsFrom: start,
        dropsAt: start + 12_000,
      },
      {
        keyId: second,
        algorithm: 'ES256',
        state: 'signing',
        createdAt: start + 9000,
        age: 1500,
        signsFrom: start + 10_000,
        dropsAt: undefined,
      },
    ])
  })
})

describe('drop', () => {
  it('stops publishing the key, and another one signs at once (RFC 7517 §5)', async () => {
    const { ring } = aRing()
    const first = await signingKeyId(ring)

    const dropped = await ring.drop(first)

    expect(dropped).toEqual({ outcome: 'revoked' })
    expect(await publishedKeyIds(ring)).toEqual([await signingKeyId(ring)])
    expect(await signingKeyId(ring)).not.toBe(first)
  })

  it('lets the announced key take over, and creates no other', async () => {
    const { ring, clock } = aRing()
    const first = await signingKeyId(ring)
    clock.now += 9000
    const [announced] = (await ring.rotate()).algorithms

    await ring.drop(first)

    expect(await signingKeyId(ring)).toBe(announced?.keyId)
    expect(await publishedKeyIds(ring)).toEqual([announced?.keyId])
  })

  it('reaches every other process within the staleness of the schedule', async () => {
    const { ring, openAnother, clock } = aRing()
    const other = openAnother()
    const first = await signingKeyId(other)

    await ring.drop(first)
    clock.now += 4
    const before = await publishedKeyIds(other)
    clock.now += 1

    expect(before).toEqual([first])
    expect(await publishedKeyIds(other)).toEqual(await publishedKeyIds(ring))
    expect(await signingKeyId(other)).toBe(await signingKeyId(ring))
  })

  it('leaves the current key signing when an announced key is dropped', async () => {
    const { ring, clock } = aRing()
    const first = await signingKeyId(ring)
    const { algorithms } = await ring.rotate({ when: 'now' })

    await ring.drop(algorithms[0]?.keyId ?? '')
    clock.now += 5000

    expect(await signingKeyId(ring)).toBe(first)
    expect(await publishedKeyIds(ring)).toEqual([first])
  })

  it('returns whether the key was dropped before, or does not exist', async () => {
    const { ring, storage } = aRing()
    const first = await signingKeyId(ring)
    await ring.drop(first)
    const before = await storage.signingKeys.list()

    expect(await ring.drop(first)).toEqual({ outcome: 'unchanged' })
    expect(await ring.drop('unknown')).toEqual({ outcome: 'absent' })
    expect(await storage.signingKeys.list()).toEqual(before)
  })

  it('creates one new key when eight processes drop a key at once', async () => {
    const { ring, openAnother, storage } = aRing({ database: createMemoryDatabase() })
    const first = await signingKeyId(ring)
    const rings = Array.from({ length: 8 }, openAnother)

    const outcomes = await Promise.all(rings.map((each) => each.drop(first)))

    expect(outcomes.filter(({ outcome }) => outcome === 'revoked')).toHaveLength(1)
    expect(await storage.signingKeys.list()).toHaveLength(2)
    expect(new Set(await Promise.all(rings.map(signingKeyId))).size).toBe(1)
  })

  it('is completed by the next request when it was interrupted before the new key was created', async () => {
    const { ring, storage, clock } = aRing()
    const first = await signingKeyId(ring)
    const [row] = await storage.signingKeys.list()
    const droppedAt = ring.settings.clock()
    const { rowMac } = await withRowMac({ ...(row as SigningKeyRecord), droppedAt }, ring.settings)
    await storage.signingKeys.drop({ keyId: keyId(first), droppedAt, rowMac })
    clock.now += 5

    expect(await signingKeyId(ring)).not.toBe(first)
  })
})

const workingVault = createSealedVault(sealingKey, { issuer, random: systemRandom })

describe('automatic rotation', () => {
  it('announces the next key when a request notices that it is due, without delaying the request', async () => {
    const { ring, clock } = aRing({ rotation: 'automatic' })
    const first = await signingKeyId(ring)

    clock.now += 9000
    expect(await publishedKeyIds(ring)).toEqual([first])
    await vi.waitFor(async () => expect(await publishedKeyIds(ring)).toHaveLength(2))
    expect(await signingKeyId(ring)).toBe(first)

    clock.now += 1000
    expect(await signingKeyId(ring)).not.toBe(first)
  })

  it('is off by default', async () => {
    const { ring, clock } = aRing()
    await signingKeyId(ring)

    clock.now += 100_000
    await signingKeyId(ring)

    // If a rotation had run in the background, this one would have nothing to announce.
    expect((await ring.rotate()).algorithms).toMatchObject([{ outcome: 'announced' }])
  })

  it('reports a failure, fails no request, and tries again a minute later', async () => {
    let isDown = false
    let attempts = 0
    const failures: unknown[] = []
    const vault: KeyVault = {
      ...workingVault,
      generate: (algorithm) => {
        attempts += 1
        return isDown ? Promise.reject(new Error('timeout')) : workingVault.generate(algorithm)
      },
    }
    const { ring, clock, storage } = aRing({
      vault,
      rotation: 'automatic',
      onRotationFailed: (error) => void failures.push(error),
    })
    const first = await signingKeyId(ring)

    isDown = true
    attempts = 0
    clock.now += 20_000
    expect(await signingKeyId(ring)).toBe(first)
    await vi.waitFor(() => expect(failures).toHaveLength(1))
    clock.now += 55
    expect(await signingKeyId(ring)).toBe(first)
    // A rotation in the background would have reached the vault by now.
    await setTimeout(20)
    expect(attempts).toBe(1)

    isDown = false
    clock.now += 5
    expect(await signingKeyId(ring)).toBe(first)
    await vi.waitFor(async () => expect(await storage.signingKeys.list()).toHaveLength(2))
    expect(failures).toHaveLength(1)
  })
})
