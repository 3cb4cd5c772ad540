import { epochSeconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { aRing, issuer, sealingKey } from '../../test/ring-under-test.ts'
import { createStoredKeys } from '../keys/stored-keys.ts'
import { createDpopNonces } from './dpop-nonce.ts'

const now = epochSeconds(1_790_000_000)
const nextKey = Buffer.alloc(32, 7).toString('base64url')

describe('while the sealing key is replaced', () => {
  const { storage } = aRing()
  const noncesOf = (...sealingKeys: readonly [string, ...string[]]) =>
    createDpopNonces({ issuer, keys: createStoredKeys({ storage, sealingKey: sealingKeys, algorithms: ['ES256'] }) })

  it('a process that has both keys accepts nonces of either key (RFC 9449 §8)', async () => {
    const both = noncesOf(nextKey, sealingKey)

    for (const key of [sealingKey, nextKey])
      expect(await both.isAccepted(await noncesOf(key).current(now), now)).toBe(true)
  })

  it('a process creates nonces with its first key (RFC 9449 §8)', async () => {
    const nonce = await noncesOf(sealingKey, nextKey).current(now)

    expect(nonce).toBe(await noncesOf(sealingKey).current(now))
  })

  it('a process refuses nonces of a key that has been removed (RFC 9449 §8)', async () => {
    const nonce = await noncesOf(sealingKey).current(now)

    expect(await noncesOf(nextKey).isAccepted(nonce, now)).toBe(false)
  })
})
