import { epochSeconds, keyId, type SigningKeyRecord } from '@mintmark/storage-interface'
import { createMemoryDatabase } from '@mintmark/storage-interface/memory'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'

import { aRing, issuer, publishedKeyIds, schedule, sealingKey, signingKeyId } from '../../test/ring-under-test.ts'

import { authenticKeys } from './authenticate-keys.ts'
import { importSealingKey, parseSealingKey } from './sealing.ts'
import { createStoredKeys } from './stored-keys.ts'
import { createSealedVault } from './vault.ts'

const otherKey = 'B'.repeat(42) + 'A'

/** A ring with another sealing key over the same rows, at the same time. */
function withOtherKey(
  under: ReturnType<typeof aRing>,
  sealingKeys: string | readonly [string, ...string[]] = otherKey,
) {
  const clock = () => epochSeconds(under.clock.now)
  return createStoredKeys({ storage: under.storage, sealingKey: sealingKeys, algorithms: ['ES256'], schedule, clock })
}

/** Replaces the only key by a changed copy, as somebody with write access to the database would. */
async function tamper(under: ReturnType<typeof aRing>, change: Partial<SigningKeyRecord>): Promise<void> {
  const [row] = await under.storage.signingKeys.list()
  if (row === undefined) throw new Error('There is no key.')
  await under.storage.signingKeys.remove(row.keyId)
  await under.storage.signingKeys.insert({ ...row, ...change })
  under.ring.reload()
}

describe('a process with another sealing key', () => {
  it.each([
    ['announces no key when it rotates', (ring: ReturnType<typeof withOtherKey>) => ring.rotate({ when: 'now' })],
    ['publishes none', (ring: ReturnType<typeof withOtherKey>) => ring.publicKeys()],
    ['signs nothing', (ring: ReturnType<typeof withOtherKey>) => ring.signer('ES256')],
  ])('%s', async (_, use) => {
    const under = aRing()
    await under.ring.publicKeys()
    const before = await under.storage.signingKeys.list()

    await expect(use(withOtherKey(under))).rejects.toThrow(/another sealing key.*give both: \[new, old\]/)

    expect(await under.storage.signingKeys.list()).toEqual(before)
  })

  it('announces keys once it lists the key that sealed those in use', async () => {
    const under = aRing()
    await under.ring.publicKeys()
    const both = withOtherKey(under, [otherKey, sealingKey])

    await both.rotate({ when: 'now' })

    expect(await publishedKeyIds(both)).toHaveLength(2)
    await expect(under.ring.rotate({ when: 'now' })).rejects.toThrow('another sealing key')
  })
})

describe('write access to the database', () => {
  it('adds no signing key: a row without a valid MAC is neither published nor used', async () => {
    const under = aRing()
    const [own] = await publishedKeyIds(under.ring)
    const [row] = await under.storage.signingKeys.list()
    const publicJwk = {
      ...(await exportJWK((await generateKeyPair('ES256')).publicKey)),
    } as SigningKeyRecord['publicJwk']
    for (const [ordinal, rowMac] of [undefined, row?.rowMac, 'AAAA'].entries()) {
      const forged = { ...(row as SigningKeyRecord), keyId: keyId(`forged-${ordinal}`), publicJwk, rowMac }
      await under.storage.signingKeys.insert({ ...forged, ordinal: ordinal + 2 })
    }
    under.ring.reload()

    expect(await publishedKeyIds(under.ring)).toEqual([own])
    expect(await signingKeyId(under.ring)).toBe(own)
    await expect(under.ring.rotate({ when: 'now' })).rejects.toThrow(/forged-\d/)
  })

  it.each([
    ['its public half', { publicJwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }],
    ['when it was created', { createdAt: epochSeconds(1) }],
    ['when it signs', { signsFrom: epochSeconds(1) }],
    ['its position', { ordinal: 7 }],
    ['its MAC, so that it looks like a row of an earlier version', { rowMac: undefined }],
  ])('does not change %s', async (_, change) => {
    const under = aRing()
    await under.ring.publicKeys()

    await tamper(under, change)

    await expect(under.ring.publicKeys()).rejects.toThrow('another sealing key')
  })
})

describe('write access to the database after a key was dropped', () => {
  it.each([
    ['clearing its time', () => ({ droppedAt: undefined })],
    ['moving its time', (row: SigningKeyRecord) => ({ droppedAt: epochSeconds((row.droppedAt ?? 0) + 5000) })],
    ['clearing its time and its MAC', () => ({ droppedAt: undefined, rowMac: undefined })],
  ])('does not bring the key back by %s', async (_, change) => {
    const under = aRing()
    const leaked = await signingKeyId(under.ring)
    await under.ring.drop(leaked)
    const [row] = (await under.storage.signingKeys.list()).filter(({ keyId: kid }) => kid === leaked)
    if (row === undefined) throw new Error('There is no key.')

    await under.storage.signingKeys.remove(row.keyId)
    await under.storage.signingKeys.insert({ ...row, ...change(row) })
    under.ring.reload()

    expect(await publishedKeyIds(under.ring)).not.toContain(leaked)
    expect(await signingKeyId(under.ring)).not.toBe(leaked)
    expect((await under.ring.hintKeys?.())?.map(({ keyId: kid }) => kid)).not.toContain(leaked)
  })

  it('stores a MAC that belongs to the time of the drop, so that the row stays authentic', async () => {
    const under = aRing()
    const leaked = await signingKeyId(under.ring)
    await under.ring.drop(leaked)

    const records = await under.storage.signingKeys.list()
    const authentic = await authenticKeys(records, under.ring.settings)

    expect(authentic).toEqual(records)
    expect(authentic.map(({ droppedAt }) => droppedAt === undefined)).toEqual([false, true])
  })

  it('gives a forged row no valid MAC when it is dropped', async () => {
    const under = aRing()
    await signingKeyId(under.ring)
    const [row] = await under.storage.signingKeys.list()
    const forged = { ...(row as SigningKeyRecord), keyId: keyId('forged'), ordinal: 2 }
    await under.storage.signingKeys.insert(forged)

    await under.ring.drop('forged')

    const [, stored] = await under.storage.signingKeys.list()
    expect(stored).toEqual({ ...forged, droppedAt: under.clock.now })
  })
})

describe('keys of an earlier version, whose rows have no MAC', () => {
  /** The key of a ring as versions before 1.0 stored it. */
  async function asBefore(under: ReturnType<typeof aRing>): Promise<void> {
    await under.ring.publicKeys()
    const [row] = await under.storage.signingKeys.list()
    const key = await importSealingKey(parseSealingKey(sealingKey))
    const sealed = (row?.vaultEntry ?? '').split('.')[2] ?? ''
    const jwk = await key.open(sealed, `signing-key-2 ${issuer} ${row?.keyId ?? ''}`)
    const random = (length: number) => new Uint8Array(length)
    const before = await key.seal(jwk, `signing-key ${issuer} ${row?.keyId ?? ''}`, random)
    await tamper(under, { vaultEntry: `${key.id}.${before}`, rowMac: undefined })
  }

  it('stay published and sign, and the next key has a MAC', async () => {
    const under = aRing()
    const before = await signingKeyId(under.ring)
    await asBefore(under)

    expect(await signingKeyId(under.ring)).toBe(before)
    await under.ring.rotate({ when: 'now' })

    expect((await under.storage.signingKeys.list()).map(({ rowMac }) => rowMac === undefined)).toEqual([true, false])
  })

  it('are refused when another public half was put in', async () => {
    const under = aRing()
    await asBefore(under)

    await tamper(under, { publicJwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } })

    await expect(under.ring.publicKeys()).rejects.toThrow('another sealing key')
  })

  it('are recognized in a vault by a signature', async () => {
    const sealed = createSealedVault(sealingKey, {
      issuer,
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    })
    const under = aRing({ vault: sealed, database: createMemoryDatabase() })
    const before = await signingKeyId(under.ring)

    await tamper(under, { rowMac: undefined })

    expect(await signingKeyId(under.ring)).toBe(before)
    await tamper(under, { publicJwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } })
    await expect(under.ring.publicKeys()).rejects.toThrow('another sealing key')
  })
})
