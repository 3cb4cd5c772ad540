import { epochSeconds, keyId, type SigningKeyRecord } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'

import { aRing, publishedKeyIds, schedule, sealingKey, signingKeyId } from '../../test/ring-under-test.ts'

import { authenticKeys, withRowMac } from './authenticate-keys.ts'
import { createStoredKeys, type StoredKeyRing } from './stored-keys.ts'
import type { KeyVault } from './vault.ts'

const otherKey = 'B'.repeat(42) + 'A'

type UnderTest = ReturnType<typeof aRing>

/** A ring with another sealing key over the same rows, at the same time. */
function withOtherKey(
  fixture: UnderTest,
  sealingKeys: string | readonly [string, ...string[]] = otherKey,
  algorithms: StoredKeyRing['algorithms'] = ['ES256'],
): StoredKeyRing {
  const clock = () => epochSeconds(fixture.clock.now)
  return createStoredKeys({ storage: fixture.storage, sealingKey: sealingKeys, algorithms, schedule, clock })
}

const sealingKeyError = {
  name: 'SealingKeyError',
  message: expect.stringMatching(/another sealing key.*give both: \[old, new\]/) as string,
}

/** Replaces the only key with a changed copy, as somebody with write access to the database would. */
async function tamper(fixture: ReturnType<typeof aRing>, change: Partial<SigningKeyRecord>): Promise<void> {
  const [row] = await fixture.storage.signingKeys.list()
  if (row === undefined) throw new Error('There is no key.')
  await fixture.storage.signingKeys.remove(row.keyId)
  await fixture.storage.signingKeys.insert({ ...row, ...change })
  fixture.ring.reload()
}

describe('a process with another sealing key', () => {
  it.each<readonly [string, (ring: StoredKeyRing, kid: string) => Promise<unknown>]>([
    ['announces no key when it rotates', (ring) => ring.rotate({ when: 'now' })],
    ['publishes no keys', (ring) => ring.publicKeys()],
    ['signs nothing', (ring) => ring.signer('ES256')],
    ['is not ready', (ring) => ring.ready()],
    ['drops no key', (ring, kid) => ring.drop(kid)],
    ['announces no key when it drops one that does not exist', (ring) => ring.drop('unknown')],
  ])('%s', async (_, use) => {
    const fixture = aRing()
    const kid = await signingKeyId(fixture.ring)
    const before = await fixture.storage.signingKeys.list()

    await expect(use(withOtherKey(fixture), kid)).rejects.toMatchObject(sealingKeyError)

    expect(await fixture.storage.signingKeys.list()).toEqual(before)
  })

  it('drops no key of several algorithms, in any order, and the other processes keep their keys', async () => {
    const fixture = aRing({ algorithms: ['ES256', 'EdDSA'] })
    await fixture.ring.publicKeys()
    await fixture.ring.rotate({ when: 'now' })
    const before = await fixture.storage.signingKeys.list()
    const other = withOtherKey(fixture, otherKey, ['ES256', 'EdDSA'])

    for (const { keyId: kid } of [...before, ...before.toReversed()])
      await expect(other.drop(kid)).rejects.toMatchObject(sealingKeyError)

    expect(await fixture.storage.signingKeys.list()).toEqual(before)
    fixture.ring.reload()
    expect(await publishedKeyIds(fixture.ring)).toHaveLength(4)
  })

  it('creates no key after the last one was dropped; a process with the sealing key does', async () => {
    const fixture = aRing()
    await dropWithoutSuccessor(fixture)
    const before = await fixture.storage.signingKeys.list()

    for (const use of [(ring: StoredKeyRing) => ring.publicKeys(), (ring: StoredKeyRing) => ring.rotate()])
      await expect(use(withOtherKey(fixture))).rejects.toMatchObject(sealingKeyError)

    expect(await fixture.storage.signingKeys.list()).toEqual(before)
    expect(await publishedKeyIds(fixture.ring)).toHaveLength(1)
  })

  it('announces keys once it also has the sealing key of the keys in use', async () => {
    const fixture = aRing()
    await fixture.ring.publicKeys()
    const both = withOtherKey(fixture, [otherKey, sealingKey])

    await both.rotate({ when: 'now' })

    expect(await publishedKeyIds(both)).toHaveLength(2)
    await expect(fixture.ring.rotate({ when: 'now' })).rejects.toThrow('another sealing key')
  })
})

/** Stores the drop of the only key, as a process does that is stopped before it creates the next one. */
async function dropWithoutSuccessor({ ring, storage, clock }: UnderTest): Promise<void> {
  await ring.publicKeys()
  const [row] = await storage.signingKeys.list()
  if (row === undefined) throw new Error('There is no key.')
  const dropped = await withRowMac({ ...row, droppedAt: epochSeconds(clock.now) }, ring.settings)
  await storage.signingKeys.drop({ keyId: row.keyId, droppedAt: epochSeconds(clock.now), rowMac: dropped.rowMac })
  ring.reload()
}

describe('a process with an outdated sealing key', () => {
  /** Creates rows of which the ring of the fixture can authenticate only a key that no longer signs. */
  async function anOutdatedRing() {
    const fixture = aRing()
    const first = await signingKeyId(fixture.ring)
    fixture.clock.now += 1
    const both = withOtherKey(fixture, [otherKey, sealingKey])
    await both.rotate({ when: 'now' })
    fixture.clock.now += schedule.announce
    fixture.ring.reload()
    return { ...fixture, first, second: await signingKeyId(both), current: withOtherKey(fixture) }
  }

  it.each<readonly [string, (ring: StoredKeyRing, kid: string) => Promise<unknown>]>([
    ['is not ready', (ring) => ring.ready()],
    ['announces no key', (ring) => ring.rotate({ when: 'now' })],
    ['drops no later key', (ring, kid) => ring.drop(kid)],
  ])('%s', async (_, use) => {
    const { ring, storage, second, current } = await anOutdatedRing()
    const before = await storage.signingKeys.list()

    await expect(use(ring, second)).rejects.toMatchObject(sealingKeyError)

    expect(await storage.signingKeys.list()).toEqual(before)
    await current.ready()
    expect(await signingKeyId(current)).toBe(second)
  })

  it('creates no key after a later key was dropped and before its successor exists', async () => {
    const fixture = await anOutdatedRing()
    const { settings } = fixture.current
    const rows = await fixture.storage.signingKeys.list()
    const row = rows.find(({ keyId: kid }) => kid === fixture.second)
    const droppedAt = epochSeconds(fixture.clock.now)
    const { rowMac } = await withRowMac({ ...(row as SigningKeyRecord), droppedAt }, settings)
    await fixture.storage.signingKeys.drop({ keyId: keyId(fixture.second), droppedAt, rowMac })
    fixture.ring.reload()

    await expect(fixture.ring.rotate({ when: 'now' })).rejects.toMatchObject(sealingKeyError)

    expect(await fixture.storage.signingKeys.list()).toHaveLength(2)
    expect(await publishedKeyIds(fixture.current)).toHaveLength(1)
  })

  it('drops its own key, so that a leaked key can be dropped from anywhere, and creates no other', async () => {
    const { ring, storage, first, second, current } = await anOutdatedRing()

    await expect(ring.drop(first)).rejects.toMatchObject(sealingKeyError)

    const rows = await storage.signingKeys.list()
    expect(rows.map(({ keyId: kid, droppedAt }) => [kid, droppedAt !== undefined])).toEqual([
      [first, true],
      [second, false],
    ])
    expect(await publishedKeyIds(current)).toEqual([second])
  })
})

describe('write access to the database', () => {
  it('adds no signing key: a row without a valid MAC is neither published nor used', async () => {
    const fixture = aRing()
    const [own] = await publishedKeyIds(fixture.ring)
    const [row] = await fixture.storage.signingKeys.list()
    const publicJwk = {
      ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
    } as SigningKeyRecord['publicJwk']
    for (const [ordinal, rowMac] of [undefined, row?.rowMac, 'AAAA'].entries()) {
      const forged = { ...(row as SigningKeyRecord), keyId: keyId(`forged-${ordinal}`), publicJwk, rowMac }
      await fixture.storage.signingKeys.insert({ ...forged, ordinal: ordinal + 2 })
    }
    fixture.ring.reload()

    expect(await publishedKeyIds(fixture.ring)).toEqual([own])
    expect(await signingKeyId(fixture.ring)).toBe(own)
    await expect(fixture.ring.rotate({ when: 'now' })).rejects.toThrow(/forged-\d/)
  })

  it.each([
    ['the public half', { publicJwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }],
    ['the creation time', { createdAt: epochSeconds(1) }],
    ['the time from which it signs', { signsFrom: epochSeconds(1) }],
    ['the position', { ordinal: 7 }],
    ['the MAC, by removing it', { rowMac: undefined }],
  ])('makes a key unusable by changing %s', async (_, change) => {
    const fixture = aRing()
    await fixture.ring.publicKeys()

    await tamper(fixture, change)

    await expect(fixture.ring.publicKeys()).rejects.toThrow(/another sealing key|have no MAC/)
  })
})

describe('write access to the database after a key was dropped', () => {
  it.each([
    ['clearing droppedAt', () => ({ droppedAt: undefined })],
    ['changing droppedAt', (row: SigningKeyRecord) => ({ droppedAt: epochSeconds((row.droppedAt ?? 0) + 5000) })],
    ['clearing droppedAt and the MAC', () => ({ droppedAt: undefined, rowMac: undefined })],
  ])('does not bring the key back by %s', async (_, change) => {
    const fixture = aRing()
    const leaked = await signingKeyId(fixture.ring)
    await fixture.ring.drop(leaked)
    const [row] = (await fixture.storage.signingKeys.list()).filter(({ keyId: kid }) => kid === leaked)
    if (row === undefined) throw new Error('There is no key.')

    await fixture.storage.signingKeys.remove(row.keyId)
    await fixture.storage.signingKeys.insert({ ...row, ...change(row) })
    fixture.ring.reload()

    expect(await publishedKeyIds(fixture.ring)).not.toContain(leaked)
    expect(await signingKeyId(fixture.ring)).not.toBe(leaked)
    expect((await fixture.ring.hintKeys?.())?.map(({ keyId: kid }) => kid)).not.toContain(leaked)
  })

  it('stores a MAC that covers droppedAt, so that the row stays authentic', async () => {
    const fixture = aRing()
    const leaked = await signingKeyId(fixture.ring)
    await fixture.ring.drop(leaked)

    const records = await fixture.storage.signingKeys.list()
    const authentic = await authenticKeys(records, fixture.ring.settings)

    expect(authentic).toEqual(records)
    expect(authentic.map(({ droppedAt }) => droppedAt === undefined)).toEqual([false, true])
  })

  it('cannot stop the servers: if it marks the signing key as dropped, they create the next key', async () => {
    const fixture = aRing()
    const first = await signingKeyId(fixture.ring)
    await tamper(fixture, { droppedAt: epochSeconds(fixture.clock.now) })

    const published = await publishedKeyIds(fixture.ring)

    expect(published).toEqual([await signingKeyId(fixture.ring)])
    expect(published).not.toContain(first)
  })
})

describe('a row that somebody else wrote', () => {
  /** A ring of two algorithms, and a copy of its ES256 key that pretends to be the next one. */
  async function withForgedRow(change: Partial<SigningKeyRecord> = {}) {
    const fixture = aRing({ algorithms: ['ES256', 'EdDSA'] })
    const own = await publishedKeyIds(fixture.ring)
    const row = (await fixture.storage.signingKeys.list()).find(({ algorithm }) => algorithm === 'ES256')
    await fixture.storage.signingKeys.insert({
      ...(row as SigningKeyRecord),
      keyId: keyId('forged'),
      ordinal: 2,
      ...change,
    })
    fixture.ring.reload()
    return { ...fixture, own }
  }

  it.each<readonly [string, Partial<SigningKeyRecord>, string]>([
    ['of a signing key', {}, 'revoked'],
    ['of an announced key', { signsFrom: epochSeconds(2_000_000_000) }, 'revoked'],
    ['without a MAC', { rowMac: undefined }, 'revoked'],
    ['of a key that is already dropped', { droppedAt: epochSeconds(1_790_000_000) }, 'unchanged'],
  ])('is deleted when an administrator drops its key: a row %s', async (_, change, outcome) => {
    const { ring, storage, own } = await withForgedRow(change)

    const dropped = await ring.drop('forged')

    expect(dropped).toEqual({ outcome })
    expect((await storage.signingKeys.list()).map(({ keyId: kid }) => kid).toSorted()).toEqual(own.toSorted())
    expect((await ring.rotate({ when: 'now' })).algorithms).toMatchObject([
      { outcome: 'announced' },
      { outcome: 'announced' },
    ])
  })

  it('stays if it displaces every key of this process: an outdated process would otherwise remove a later key', async () => {
    const fixture = aRing()
    const own = await signingKeyId(fixture.ring)
    const [row] = await fixture.storage.signingKeys.list()
    await fixture.storage.signingKeys.insert({ ...(row as SigningKeyRecord), keyId: keyId('forged'), ordinal: 2 })
    const before = await fixture.storage.signingKeys.list()

    await expect(fixture.ring.drop('forged')).rejects.toMatchObject(sealingKeyError)

    expect(await fixture.storage.signingKeys.list()).toEqual(before)
    expect(await publishedKeyIds(fixture.ring)).toEqual([own])
  })

  it('prevents every process from starting, and stops none that already runs', async () => {
    const fixture = aRing()
    const own = await publishedKeyIds(fixture.ring)
    await fixture.ring.ready()
    const [row] = await fixture.storage.signingKeys.list()
    await fixture.storage.signingKeys.insert({ ...(row as SigningKeyRecord), keyId: keyId('forged'), ordinal: 2 })
    fixture.ring.reload()

    await expect(fixture.openAnother().ready()).rejects.toMatchObject(sealingKeyError)
    await expect(fixture.ring.ready()).resolves.toBeUndefined()
    expect(await publishedKeyIds(fixture.ring)).toEqual(own)
  })

  it('does not keep a leaked key in use: the key is dropped, and the next one is created when the row is removed', async () => {
    const { ring, storage, own } = await withForgedRow()
    const leaked = await signingKeyId(ring)

    await expect(ring.drop(leaked)).rejects.toMatchObject(sealingKeyError)
    await ring.drop('forged')

    const published = await publishedKeyIds(ring)
    expect(published).not.toContain(leaked)
    expect(published).toHaveLength(own.length)
    expect(await storage.signingKeys.list()).toHaveLength(3)
  })
})

describe('a row without a MAC', () => {
  it.each<readonly [string, Partial<SigningKeyRecord>]>([
    ['a dropped key of a vault', {}],
    ['another key of the same vault', { keyId: keyId('other'), vaultEntry: 'kms-other', ordinal: 9 }],
  ])('does not cause its key to be published: %s', async (_, change) => {
    const fixture = aRing({ vault: aKms() })
    const leaked = await signingKeyId(fixture.ring)
    await fixture.ring.drop(leaked)
    const [row] = (await fixture.storage.signingKeys.list()).filter(({ keyId: kid }) => kid === leaked)
    await fixture.storage.signingKeys.remove(keyId(leaked))
    await fixture.storage.signingKeys.insert({
      ...(row as SigningKeyRecord),
      droppedAt: undefined,
      rowMac: undefined,
      ...change,
    })

    const published = await publishedKeyIds(fixture.openAnother())

    expect(published).toEqual([await signingKeyId(fixture.openAnother())])
    expect(published).not.toContain(change.keyId ?? leaked)
  })

  it('is refused when it is the only key of a vault, and changes nothing', async () => {
    const fixture = aRing({ vault: aKms() })
    await fixture.ring.publicKeys()
    await tamper(fixture, { rowMac: undefined })
    const before = await fixture.storage.signingKeys.list()

    await expect(fixture.openAnother().publicKeys()).rejects.toMatchObject({
      name: 'SealingKeyError',
      message: expect.stringContaining('Delete these rows from mintmark_signing_keys') as string,
    })

    expect(await fixture.storage.signingKeys.list()).toEqual(before)
  })
})

/** A vault that behaves like a KMS: it signs with every key that it has, whoever asks. */
function aKms(): KeyVault {
  const keys = new Map<string, CryptoKey>()
  return {
    async generate(algorithm) {
      const { privateKey, publicKey } = await generateKeyPair(algorithm)
      const vaultEntry = `kms-${keys.size}`
      keys.set(vaultEntry, privateKey)
      return { vaultEntry, publicJwk: { ...(await exportJWK(publicKey)) } }
    },
    open: async ({ vaultEntry }) => {
      const key = keys.get(vaultEntry) ?? keys.get('kms-0')
      if (key === undefined) throw new Error('The vault has no key.')
      return async (bytes) =>
        new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, new Uint8Array(bytes)))
    },
  }
}
