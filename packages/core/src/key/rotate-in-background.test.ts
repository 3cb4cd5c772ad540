import { describe, expect, it, vi } from 'vitest'

import { aRing, issuer, published, sealingKey, signing } from '../../test/ring-under-test.ts'
import { systemRandom } from '../runtime/random.ts'
import type { KeyVault } from './key-vault.ts'
import { rotateKeys } from './rotate-keys.ts'
import { sealedVault } from './sealed-vault.ts'

const sound = sealedVault(sealingKey, { issuer, random: systemRandom })

describe('automatic rotation', () => {
  it('announces the next key when a request finds that it is time, and no request waits for it', async () => {
    const { ring, clock } = aRing({ rotation: 'automatic' })
    const first = await signing(ring)

    clock.now += 9000
    expect(await published(ring)).toEqual([first])
    await vi.waitFor(async () => expect(await published(ring)).toHaveLength(2))
    expect(await signing(ring)).toBe(first)

    clock.now += 1000
    expect(await signing(ring)).not.toBe(first)
  })

  it('is not what a ring does unless it is told to', async () => {
    const { ring, clock } = aRing()
    await signing(ring)

    clock.now += 100_000
    await signing(ring)

    // A rotation in the background would have been first.
    expect((await rotateKeys(ring)).algorithms).toMatchObject([{ outcome: 'announced' }])
  })

  it('that fails is reported, costs no request anything, and is tried again a minute later', async () => {
    let isDown = false
    const failures: unknown[] = []
    const vault: KeyVault = {
      ...sound,
      generate: (algorithm) => (isDown ? Promise.reject(new Error('timeout')) : sound.generate(algorithm)),
    }
    const { ring, clock, storage } = aRing({
      vault,
      rotation: 'automatic',
      onRotationFailed: (error) => void failures.push(error),
    })
    const first = await signing(ring)

    isDown = true
    clock.now += 20_000
    expect(await signing(ring)).toBe(first)
    await vi.waitFor(() => expect(failures).toHaveLength(1))
    clock.now += 55
    expect(await signing(ring)).toBe(first)

    isDown = false
    clock.now += 5
    expect(await signing(ring)).toBe(first)
    await vi.waitFor(async () => expect(await storage.signingKeys.list()).toHaveLength(2))
    expect(failures).toHaveLength(1)
  })
})
