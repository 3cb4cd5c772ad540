import { createMemoryMedium, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { importJWK, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'

import { signJwt } from './sign-jwt.ts'
import { storedKeys } from './stored-keys.ts'

const issuer = 'https://as.test'
const sealingKey = 'A'.repeat(43)

describe('stored keys', () => {
  it('signs with the key that it publishes, in both algorithms', async () => {
    const keys = storedKeys({ storage: createMemoryStorage({ issuer }), sealingKey })

    for (const algorithm of ['ES256', 'RS256'] as const) {
      const signer = await keys.signer(algorithm)
      const published = (await keys.publicKeys()).find(({ keyId }) => keyId === signer.keyId)
      const jwt = await signJwt('JWT', { iss: issuer }, signer)
      const verified = await jwtVerify(jwt, await importJWK({ ...published?.jwk }, algorithm), { algorithms: [algorithm] })

      expect(verified.protectedHeader).toEqual({ alg: algorithm, typ: 'JWT', kid: signer.keyId })
    }
  })

  it('publishes no private member', async () => {
    const keys = storedKeys({ storage: createMemoryStorage({ issuer }), sealingKey })

    const members = (await keys.publicKeys()).flatMap(({ jwk }) => Object.keys(jwk))

    expect(members.filter((member) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(member))).toEqual([])
  })

  it('stores the private half sealed', async () => {
    const storage = createMemoryStorage({ issuer })
    await storedKeys({ storage, sealingKey }).publicKeys()

    const stored = JSON.stringify(await storage.signingKeys.list())

    expect(stored).not.toContain('"d"')
  })

  it('ATK-328 eight servers that start at once agree on one key for each algorithm', async () => {
    const medium = createMemoryMedium()
    const rings = Array.from({ length: 8 }, () => storedKeys({ storage: createMemoryStorage({ issuer, medium }), sealingKey }))

    const published = await Promise.all(rings.map(async (ring) => (await ring.publicKeys()).map(({ keyId }) => keyId).join()))
    const signing = await Promise.all(rings.map(async (ring) => (await ring.signer('ES256')).keyId))

    expect(new Set(published).size).toBe(1)
    expect(published[0]?.split(',')).toHaveLength(2)
    expect(new Set(signing).size).toBe(1)
  })

  it.each([['a sealing key that is not set', undefined as unknown as string], ['an empty one', ''], ['an earlier one that is none', [sealingKey, 'short']]] as const)(
    'refuses %s when it is given, not when the first token is to be signed',
    (_case, wrong) => {
      expect(() => storedKeys({ storage: createMemoryStorage({ issuer }), sealingKey: wrong })).toThrow(TypeError)
    },
  )

  it('refuses keys that were sealed with another key, and says so', async () => {
    const medium = createMemoryMedium()
    await storedKeys({ storage: createMemoryStorage({ issuer, medium }), sealingKey }).publicKeys()

    const other = storedKeys({ storage: createMemoryStorage({ issuer, medium }), sealingKey: 'B'.repeat(42) + 'A' })

    await expect(other.signer('ES256')).rejects.toThrow(/another sealing key/)
  })

  it('opens what an earlier sealing key sealed, when that key is still given', async () => {
    const medium = createMemoryMedium()
    const before = storedKeys({ storage: createMemoryStorage({ issuer, medium }), sealingKey })
    const { keyId } = await before.signer('ES256')

    const after = storedKeys({ storage: createMemoryStorage({ issuer, medium }), sealingKey: ['B'.repeat(42) + 'A', sealingKey] })

    expect((await after.signer('ES256')).keyId).toBe(keyId)
  })

  it('tries again after storage was down at first use', async () => {
    const storage = createMemoryStorage({ issuer })
    let isDown = true
    const list = () => (isDown ? Promise.reject(new Error('down')) : storage.signingKeys.list())
    const keys = storedKeys({ storage: { ...storage, signingKeys: { ...storage.signingKeys, list } }, sealingKey })

    await expect(keys.publicKeys()).rejects.toThrow('down')
    isDown = false

    expect(await keys.publicKeys()).toHaveLength(2)
  })
})
