import { keyId, StorageUnavailableError } from '@mintmark/storage-interface'
import { aSigningKeyRecord } from '@mintmark/storage-interface/fixtures'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { importJWK, jwtVerify } from 'jose'
import { describe, expect, it, vi } from 'vitest'

import {
  aRing,
  issuer,
  publishedKeyIds,
  schedule,
  sealingKey,
  signingKeyId,
  type RingUnderTest,
} from '../../test/ring-under-test.ts'
import { signJwt } from './jws.ts'

import type { StoredKeysOptions } from './settings.ts'
import { createStoredKeys } from './stored-keys.ts'

const vault = { generate: () => Promise.reject(new Error('closed')), open: () => Promise.reject(new Error('closed')) }

describe('stored keys', () => {
  it('signs with the published key, in every algorithm (RFC 7518 §3.1)', async () => {
    const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const
    const keys = createStoredKeys({ storage: createMemoryStorage({ issuer }), sealingKey, algorithms })

    for (const algorithm of algorithms) {
      const signer = await keys.signer(algorithm)
      const published = (await keys.publicKeys()).find(({ keyId }) => keyId === signer.keyId)
      const jwt = await signJwt('JWT', { iss: issuer }, signer)
      const verified = await jwtVerify(jwt, await importJWK({ ...published?.jwk }, algorithm), {
        algorithms: [algorithm],
      })

      expect(verified.protectedHeader).toEqual({ alg: algorithm, typ: 'JWT', kid: signer.keyId })
    }
  })

  it('does not publish private members', async () => {
    const keys = createStoredKeys({ storage: createMemoryStorage({ issuer }), sealingKey })

    const members = (await keys.publicKeys()).flatMap(({ jwk }) => Object.keys(jwk))

    expect(members.filter((member) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(member))).toEqual([])
  })

  it('stores the private half encrypted', async () => {
    const storage = createMemoryStorage({ issuer })
    await createStoredKeys({ storage, sealingKey }).publicKeys()

    const stored = JSON.stringify(await storage.signingKeys.list())

    expect(stored).not.toContain('"d"')
  })

  it('agrees on one key for each algorithm when eight servers start at once', async () => {
    const database = createMemoryDatabase()
    const rings = Array.from({ length: 8 }, () =>
      createStoredKeys({ storage: createMemoryStorage({ issuer, database }), sealingKey }),
    )

    const published = await Promise.all(
      rings.map(async (ring) => (await ring.publicKeys()).map(({ keyId }) => keyId).join()),
    )
    const signing = await Promise.all(rings.map(async (ring) => (await ring.signer('ES256')).keyId))

    expect(new Set(published).size).toBe(1)
    expect(published[0]?.split(',')).toHaveLength(2)
    expect(new Set(signing).size).toBe(1)
  })

  it.each([
    ['a sealing key that is not set', undefined as unknown as string],
    ['an empty sealing key', ''],
    ['an earlier sealing key that is too short', [sealingKey, 'short']],
  ] as const)('refuses %s at start-up, not when the first token is signed', (_case, wrong) => {
    expect(() => createStoredKeys({ storage: createMemoryStorage({ issuer }), sealingKey: wrong })).toThrow(TypeError)
  })

  it('refuses keys that were sealed with another key, with an error that names the cause', async () => {
    const database = createMemoryDatabase()
    await createStoredKeys({ storage: createMemoryStorage({ issuer, database }), sealingKey }).publicKeys()

    const other = createStoredKeys({
      storage: createMemoryStorage({ issuer, database }),
      sealingKey: 'B'.repeat(42) + 'A',
    })

    await expect(other.signer('ES256')).rejects.toThrow(/another sealing key/)
  })

  it('opens keys that an earlier sealing key sealed, when that key is still listed', async () => {
    const database = createMemoryDatabase()
    const before = createStoredKeys({ storage: createMemoryStorage({ issuer, database }), sealingKey })
    const { keyId } = await before.signer('ES256')

    const after = createStoredKeys({
      storage: createMemoryStorage({ issuer, database }),
      sealingKey: ['B'.repeat(42) + 'A', sealingKey],
    })

    expect((await after.signer('ES256')).keyId).toBe(keyId)
  })

  it('tries again after storage was down at first use', async () => {
    const storage = createMemoryStorage({ issuer })
    let isDown = true
    const list = () => (isDown ? Promise.reject(new Error('down')) : storage.signingKeys.list())
    const keys = createStoredKeys({
      storage: { ...storage, signingKeys: { ...storage.signingKeys, list } },
      sealingKey,
    })

    await expect(keys.publicKeys()).rejects.toThrow('down')
    isDown = false

    expect(await keys.publicKeys()).toHaveLength(2)
  })

  it.each([
    ['an algorithm that does not exist for tokens', { algorithms: ['HS256'] }, /has no HS256/],
    ['an algorithm that this runtime lacks', { algorithms: ['ES256', 'ML-DSA-9'] }, /has no ML-DSA-9/],
    ['an unknown kind of rotation', { rotation: 'weekly' }, /manual or automatic/],
    ['a schedule that is too short', { schedule: { announce: 1 } }, /announce/],
    ['a vault without an issuerSecret', { sealingKey: undefined, vault }, /issuerSecret is missing/],
    ['a vault and a sealing key', { vault }, /not both/],
    ['an issuerSecret with a sealing key', { issuerSecret: sealingKey }, /issuerSecret belongs to vault/],
  ])('refuses %s at once', (_case, change, message) => {
    const options = { storage: createMemoryStorage({ issuer }), sealingKey, ...change } as StoredKeysOptions

    expect(() => createStoredKeys(options)).toThrow(message)
  })

  it.each(['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'] as const)(
    'signs with %s where the runtime supports it, and refuses at start-up where it does not',
    async (algorithm) => {
      const subtle = SubtleCrypto as { supports?(operation: string, algorithm: string): boolean }
      const open = () =>
        createStoredKeys({ storage: createMemoryStorage({ issuer }), sealingKey, algorithms: [algorithm] })
      if (subtle.supports?.('sign', algorithm) !== true) return expect(open).toThrow(`has no ${algorithm}`)

      const keys = open()
      const jwt = await signJwt('JWT', { iss: issuer }, await keys.signer(algorithm))
      const [key] = await keys.publicKeys()
      const verified = await jwtVerify(jwt, await importJWK({ ...key?.jwk }, algorithm))

      expect(verified.protectedHeader.alg).toBe(algorithm)
      expect(Object.keys(key?.jwk ?? {}).toSorted()).toEqual(['alg', 'kid', 'kty', 'pub', 'use'])
    },
  )
})

describe('the cached keys of a ring', () => {
  it('are read once per staleness period, however many requests need them', async () => {
    const { ring, clock, storage } = aRing()
    const reads = vi.fn(() => storage.signingKeys.list())
    const counting = createStoredKeys({
      storage: { ...storage, signingKeys: { ...storage.signingKeys, list: reads } },
      sealingKey,
      algorithms: ['ES256'],
      clock: ring.settings.clock,
    })
    await signingKeyId(ring)

    await Promise.all(Array.from({ length: 20 }, () => counting.publicKeys()))
    clock.now += 4
    await counting.signer('ES256')
    expect(reads).toHaveBeenCalledTimes(1)
    clock.now += 1
    await Promise.all([counting.publicKeys(), counting.signer('ES256')])

    expect(reads).toHaveBeenCalledTimes(2)
  })

  it('are read again when the clock steps back', async () => {
    const { ring, openAnother, clock } = aRing()
    const other = openAnother()
    const first = await signingKeyId(other)

    await ring.drop(first)
    clock.now -= 3600

    expect(await publishedKeyIds(other)).not.toContain(first)
  })

  it('sign from the second in which their time begins, even within a staleness period, and not before it', async () => {
    const { ring, clock } = aRing()
    const first = await signingKeyId(ring)
    await ring.rotate({ when: 'now' })
    const begins = clock.now + schedule.announce
    const signingAt = (time: number) => ((clock.now = time), signingKeyId(ring))

    const signing = [await signingAt(begins - 1), await signingAt(begins), await signingAt(begins - 1)]

    expect(signing.map((keyId) => keyId === first)).toEqual([true, false, true])
  })

  it('are not used beyond the staleness when storage is down: nothing is signed or accepted', async () => {
    const { ring, clock, storage } = aRing()
    let isDown = false
    const list = () => (isDown ? Promise.reject(new StorageUnavailableError('down')) : storage.signingKeys.list())
    const keys = createStoredKeys({
      storage: { ...storage, signingKeys: { ...storage.signingKeys, list } },
      sealingKey,
      algorithms: ['ES256'],
      clock: ring.settings.clock,
    })
    await keys.publicKeys()
    isDown = true

    clock.now += 4
    expect(await keys.publicKeys()).toHaveLength(1)
    clock.now += 1

    await expect(keys.publicKeys()).rejects.toThrow(StorageUnavailableError)
    await expect(keys.signer('ES256')).rejects.toThrow(StorageUnavailableError)
  })

  it('are the same objects until a key changes', async () => {
    const { ring, clock } = aRing()
    const before = await ring.publicKeys()
    clock.now += 5
    const reread = await ring.publicKeys()
    await ring.rotate({ when: 'now' })

    const after = await ring.publicKeys()

    expect(reread).toBe(before)
    expect(after).toHaveLength(2)
    expect(after[0]).toBe(before[0])
  })

  it('include keys of an algorithm that the ring no longer signs with until they are dropped', async () => {
    const { ring, storage } = aRing({ algorithms: ['EdDSA'] })
    const [old] = await publishedKeyIds(ring)
    const now = ring.settings.clock
    const keys = createStoredKeys({ storage, sealingKey, algorithms: ['ES256'], clock: now })

    expect(await publishedKeyIds(keys)).toContain(old)
    await expect(keys.signer('EdDSA')).rejects.toThrow(/does not sign with EdDSA/)
    await keys.drop(old ?? '')
    expect(await publishedKeyIds(keys)).toEqual([await signingKeyId(keys)])
  })

  it('leave out keys of algorithms that only a later version knows', async () => {
    const { ring, storage } = aRing()
    const first = await signingKeyId(ring)
    await storage.signingKeys.insert(aSigningKeyRecord({ keyId: keyId('later'), algorithm: 'SLH-DSA-SHA2-128s' }))
    ring.reload()

    expect(await publishedKeyIds(ring)).toEqual([first])
  })
})

describe('the keys that verify an id_token_hint', () => {
  const day = 86_400

  it('include a retired key for 180 days after its last signature (RP-Initiated Logout §2)', async () => {
    const { ring, clock } = aRing({ schedule: { announce: day, sign: 30 * day, retire: 5 * day } })
    const first = await signingKeyId(ring)
    await rotateTimes(7, { ring, clock })

    const lastSignature = clock.now - 180 * day
    const ages = (await ring.list()).filter(({ signsFrom }) => signsFrom + 30 * day > lastSignature)
    expect(await publishedKeyIds(ring)).not.toContain(first)
    expect((await ring.hintKeys?.())?.map(({ keyId }) => keyId)).toEqual(ages.map(({ keyId }) => keyId))
    expect(ages).toHaveLength(7)
  })

  it('never include a key that was dropped in an emergency', async () => {
    const { ring } = aRing()
    const first = await signingKeyId(ring)

    await ring.drop(first)

    expect((await ring.hintKeys?.())?.map(({ keyId }) => keyId)).toEqual([await signingKeyId(ring)])
  })

  it('are the same objects as the published keys, until a key changes', async () => {
    const { ring, clock } = aRing()
    const before = await ring.hintKeys?.()
    clock.now += 5

    expect(await ring.hintKeys?.()).toBe(before)
    expect((await ring.publicKeys())[0]).toBe(before?.[0])
  })
})

/** Rotates the key so many times, each time on schedule. */
async function rotateTimes(times: number, { ring, clock }: Pick<RingUnderTest, 'ring' | 'clock'>): Promise<void> {
  for (let taken = 0; taken < times; taken += 1) {
    clock.now += ring.settings.schedule.sign - ring.settings.schedule.announce
    await ring.rotate()
    clock.now += ring.settings.schedule.announce
  }
  await ring.rotate()
}
