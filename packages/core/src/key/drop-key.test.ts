import { keyId } from '@mintmark/storage-interface'
import { createMemoryDatabase } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { aRing, published, signing } from '../../test/ring-under-test.ts'
import { dropKey } from './drop-key.ts'
import { rotateKeys } from './rotate-keys.ts'

describe('dropKey', () => {
  it('RFC 7517 §5: the dropped key is not published any more, and another signs at once', async () => {
    const { ring } = aRing()
    const first = await signing(ring)

    const dropped = await dropKey(first, ring)

    expect(dropped).toEqual({ outcome: 'ended' })
    expect(await published(ring)).toEqual([await signing(ring)])
    expect(await signing(ring)).not.toBe(first)
  })

  it('lets the key take over that was announced, and makes no other', async () => {
    const { ring, clock } = aRing()
    const first = await signing(ring)
    clock.now += 9000
    const [announced] = (await rotateKeys(ring)).algorithms

    await dropKey(first, ring)

    expect(await signing(ring)).toBe(announced?.keyId)
    expect(await published(ring)).toEqual([announced?.keyId])
  })

  it('every other process knows after the staleness that the schedule allows', async () => {
    const { ring, another, clock } = aRing()
    const other = another()
    const first = await signing(other)

    await dropKey(first, ring)
    clock.now += 4
    const before = await published(other)
    clock.now += 1

    expect(before).toEqual([first])
    expect(await published(other)).toEqual(await published(ring))
    expect(await signing(other)).toBe(await signing(ring))
  })

  it('of an announced key leaves the present one to sign, beyond the time of the other', async () => {
    const { ring, clock } = aRing()
    const first = await signing(ring)
    const { algorithms } = await rotateKeys(ring, { when: 'now' })

    await dropKey(algorithms[0]?.keyId ?? '', ring)
    clock.now += 5000

    expect(await signing(ring)).toBe(first)
    expect(await published(ring)).toEqual([first])
  })

  it('says whether the key was dropped before, or never was', async () => {
    const { ring, storage } = aRing()
    const first = await signing(ring)
    await dropKey(first, ring)
    const before = await storage.signingKeys.list()

    expect(await dropKey(first, ring)).toEqual({ outcome: 'unchanged' })
    expect(await dropKey('unknown', ring)).toEqual({ outcome: 'absent' })
    expect(await storage.signingKeys.list()).toEqual(before)
  })

  it('in eight processes at once ends in one new key', async () => {
    const { ring, another, storage } = aRing({ medium: createMemoryDatabase() })
    const first = await signing(ring)
    const rings = Array.from({ length: 8 }, another)

    const outcomes = await Promise.all(rings.map((each) => dropKey(first, each)))

    expect(outcomes.filter(({ outcome }) => outcome === 'ended')).toHaveLength(1)
    expect(await storage.signingKeys.list()).toHaveLength(2)
    expect(new Set(await Promise.all(rings.map(signing))).size).toBe(1)
  })

  it('that was cut off before the new key was made is finished by the next request', async () => {
    const { ring, storage, clock } = aRing()
    const first = await signing(ring)
    await storage.signingKeys.drop(keyId(first), ring.settings.clock())
    clock.now += 5

    expect(await signing(ring)).not.toBe(first)
  })
})
