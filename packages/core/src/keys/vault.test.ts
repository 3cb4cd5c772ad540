import { systemRandom } from '@mintmark/internal'
import { keyId, StorageUnavailableError } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'

import { aRing, issuer, publishedKeyIds, sealingKey, signingKeyId } from '../../test/ring-under-test.ts'
import { keyIdOf } from './key-id.ts'
import type { Sign } from './ring.ts'

import { importSealingKey, parseSealingKey } from './sealing.ts'
import { createSealedVault, type KeyVault, type VaultKey } from './vault.ts'

type Jwk = VaultKey['publicJwk']

/** A vault in this process that behaves like a KMS with one key. */
async function aVault(change: Partial<KeyVault> = {}): Promise<KeyVault & { readonly privateJwk: Jwk }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk: Jwk = { ...(await exportJWK(publicKey)) }
  const sign: Sign = async (bytes) =>
    new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, new Uint8Array(bytes)))
  return {
    generate: () => Promise.resolve({ publicJwk, vaultEntry: 'alias/1' }),
    open: () => Promise.resolve(sign),
    ...change,
    privateJwk: { ...(await exportJWK(privateKey)) },
  }
}

describe('a key ring with a vault', () => {
  it("stores and publishes no private member of a vault's key (RFC 7517 §9.2)", async () => {
    const workingVault = await aVault()
    const { privateJwk } = workingVault
    const generate = () => Promise.resolve({ publicJwk: { ...privateJwk, k: 'x' }, vaultEntry: 'alias/1' })
    const { ring, storage } = aRing({ vault: { ...workingVault, generate } })

    const [key] = await ring.publicKeys()

    expect(Object.keys(key?.jwk ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(JSON.stringify(await storage.signingKeys.list())).not.toContain(privateJwk['d'])
  })

  it.each<readonly [string, Sign]>([
    [
      'signatures in DER instead of r || s (RFC 7518 §3.4)',
      () => Promise.resolve(new Uint8Array([0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01])),
    ],
    ['signatures that do not match its public key', () => Promise.resolve(new Uint8Array(64).fill(7))],
  ])('refuses to publish a new key that creates %s', async (_case, sign) => {
    const { ring, storage } = aRing({ vault: await aVault({ open: () => Promise.resolve(sign) }) })

    await expect(ring.publicKeys()).rejects.toThrow(/does not verify/)
    expect(await storage.signingKeys.list()).toEqual([])
  })

  it.each([
    ['of an unknown type', { kty: 'oct', k: 'secret' }, /unknown type/],
    ['without its members', { kty: 'EC', crv: 'P-256' }, /JWK|member|"x"/],
  ])('refuses a new key %s', async (_case, publicJwk, message) => {
    const { ring, storage } = aRing({
      vault: await aVault({ generate: () => Promise.resolve({ publicJwk, vaultEntry: 'alias/1' }) }),
    })

    await expect(ring.publicKeys()).rejects.toThrow(message)
    expect(await storage.signingKeys.list()).toEqual([])
  })

  it('throws when the vault returns a key that is already in use, and changes nothing', async () => {
    const { ring, clock, storage } = aRing({ vault: await aVault() })
    await signingKeyId(ring)
    const before = await storage.signingKeys.list()
    clock.now += 9000

    await expect(ring.rotate()).rejects.toThrow(/already in use/)
    expect(await storage.signingKeys.list()).toEqual(before)
  })

  it('treats a vault failure as an outage, and works again when the vault does', async () => {
    let isDown = false
    const workingVault = await aVault()
    const { ring } = aRing({
      vault: {
        ...workingVault,
        open: async (key) => {
          const sign = await workingVault.open(key)
          return (bytes) => (isDown ? Promise.reject(new Error('timeout')) : sign(bytes))
        },
      },
    })
    const signer = await ring.signer('ES256')
    isDown = true

    await expect(signer.sign(new Uint8Array(1))).rejects.toThrow(StorageUnavailableError)
    expect(await publishedKeyIds(ring)).toHaveLength(1)
    isDown = false
    expect((await signer.sign(new Uint8Array(1))).length).toBe(64)
  })

  it('tries to open a key again after a failure', async () => {
    let opened = 0
    const workingVault = await aVault()
    const { ring } = aRing({
      vault: {
        ...workingVault,
        // The first call proves the new key, the second is for signing.
        open: (key) => ((opened += 1) === 2 ? Promise.reject(new Error('timeout')) : workingVault.open(key)),
      },
    })

    await expect(ring.signer('ES256')).rejects.toThrow(StorageUnavailableError)
    expect((await ring.signer('ES256')).algorithm).toBe('ES256')
    await ring.signer('ES256')
    expect(opened).toBe(3)
  })
})

const secret = parseSealingKey('A'.repeat(43))

describe('a sealed vault entry', () => {
  it.each(['', 'kms-1', '2', '2.', '1.AAAA.AAAA', 'AAAA.AAAA', '2.AAAA.AAAA'])(
    'is refused when it has the wrong form, or when another sealing key sealed it: %j',
    async (vaultEntry) => {
      const vault = createSealedVault(sealingKey, { issuer, random: systemRandom })

      const opening = vault.open({ keyId: keyId('k1'), algorithm: 'ES256', publicJwk: {}, vaultEntry })

      await expect(opening).rejects.toThrow('another sealing key, or written by somebody without it: k1')
    },
  )

  it('is refused if its version is not 2', async () => {
    const vault = createSealedVault(sealingKey, { issuer, random: systemRandom })
    const { publicJwk, vaultEntry } = await vault.generate('ES256')

    const opening = vault.open({
      keyId: await keyIdOf(publicJwk),
      algorithm: 'ES256',
      publicJwk,
      vaultEntry: vaultEntry.replace(/^2/, '3'),
    })

    await expect(opening).rejects.toThrow('another sealing key, or written by somebody without it')
  })

  it('is refused if its key is symmetric (RFC 8725 §3.1)', async () => {
    const key = await importSealingKey(secret)
    const symmetricJwk = JSON.stringify({ kty: 'oct', k: 'A'.repeat(43) })
    const sealed = await key.seal(symmetricJwk, `signing-key-2 ${issuer} k1`, systemRandom)
    const vault = createSealedVault(sealingKey, { issuer, random: systemRandom })

    const opening = vault.open({
      keyId: keyId('k1'),
      algorithm: 'ES256',
      publicJwk: {},
      vaultEntry: `2.${key.id}.${sealed}`,
    })

    await expect(opening).rejects.toThrow('A stored signing key must not be symmetric.')
  })
})

describe('sealing key', () => {
  it('opens a value that it sealed in the same context', async () => {
    const key = await importSealingKey(secret)

    const sealed = await key.seal('private', 'row 1', systemRandom)

    expect(sealed).not.toContain('private')
    expect(await key.open(sealed, 'row 1')).toBe('private')
  })

  it('seals the same text differently each time', async () => {
    const key = await importSealingKey(secret)

    const [first, second] = await Promise.all([key.seal('x', 'c', systemRandom), key.seal('x', 'c', systemRandom)])

    expect(first).not.toBe(second)
  })

  it('opens no value that was sealed for another context or with another key, or that was altered', async () => {
    const key = await importSealingKey(secret)
    const other = await importSealingKey(parseSealingKey('B'.repeat(42) + 'A'))
    const sealed = await key.seal('private', 'row 1', systemRandom)
    const altered = sealed.slice(0, 20) + (sealed[20] === 'A' ? 'B' : 'A') + sealed.slice(21)

    await expect(key.open(sealed, 'row 2')).rejects.toThrow()
    await expect(other.open(sealed, 'row 1')).rejects.toThrow()
    await expect(key.open(altered, 'row 1')).rejects.toThrow()
  })

  it.each(['', 'short', 'A'.repeat(42), 'a'.repeat(64), 'A'.repeat(86), 'not base64!'])(
    'refuses a secret that is not 32 bytes in base64url, and says how to create one: %j',
    (wrong) => {
      expect(() => parseSealingKey(wrong)).toThrow(/43 characters.*randomBytes\(32\)/)
    },
  )
})
