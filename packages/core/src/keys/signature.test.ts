import { execFileSync } from 'node:child_process'
import { createSign, KeyObject } from 'node:crypto'
import { keyId } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'

import type { PublicKey, SigningAlgorithm } from './ring.ts'
import { ecdsaFromDer, ecdsaToDer, signatureParameters, importVerifier, createSigner } from './jws.ts'

const algorithms: readonly SigningAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']

async function aPair(algorithm: SigningAlgorithm, extractable = true) {
  const pair = await generateKeyPair(algorithm, { extractable })
  const jwk = (await exportJWK(pair.publicKey)) as PublicKey['jwk']
  return { ...pair, published: { keyId: keyId('k'), algorithm, jwk } }
}

const message = new TextEncoder().encode('header.payload')

describe.for(algorithms)('signatures with %s (RFC 7518 §3.1)', (algorithm) => {
  it.for([true, false])('creates signatures that Web Crypto verifies; extractable key: %s', async (extractable) => {
    const { privateKey, publicKey } = await aPair(algorithm, extractable)
    const signer = createSigner(keyId('k'), algorithm, privateKey)

    // One signature in 128 has a coordinate with a leading zero byte.
    const signatures = await Promise.all(
      Array.from({ length: algorithm === 'ES256' ? 600 : 2 }, () => signer.sign(message)),
    )

    for (const signature of signatures) {
      const isGenuine = await crypto.subtle.verify(
        signatureParameters[algorithm],
        publicKey,
        new Uint8Array(signature),
        message,
      )
      expect(isGenuine).toBe(true)
    }
  })

  it('verifies signatures of Web Crypto, and rejects altered ones (RFC 7515 §5.2)', async () => {
    const { privateKey, published } = await aPair(algorithm)
    const verify = await importVerifier(published)
    const signature = new Uint8Array(await crypto.subtle.sign(signatureParameters[algorithm], privateKey, message))

    expect(await verify(signature, message)).toBe(true)
    expect(await verify(signature, message.with(0, 0))).toBe(false)
    for (const length of [0, 1, signature.length - 1, signature.length + 1, 72, 512]) {
      const other = new Uint8Array(length)
      other.set(signature.subarray(0, length))
      expect(await verify(other, message)).toBe(false)
    }
    for (const index of signature.keys()) {
      expect(await verify(signature.with(index, (signature[index] ?? 0) ^ 1), message)).toBe(false)
    }
  })

  it('rejects a signature with an additional byte between its halves (RFC 7518 §3.4)', async () => {
    const { privateKey, published } = await aPair(algorithm)
    const verify = await importVerifier(published)
    const signature = new Uint8Array(await crypto.subtle.sign(signatureParameters[algorithm], privateKey, message))
    const half = signature.length / 2

    const padded = new Uint8Array([...signature.subarray(0, half), 0, ...signature.subarray(half)])

    expect(await verify(padded, message)).toBe(false)
  })

  it('rejects the signature of another key (RFC 8725 §3.1)', async () => {
    const [own, other] = [await aPair(algorithm), await aPair(algorithm)]
    const verify = await importVerifier(own.published)
    const signature = await createSigner(keyId('k'), algorithm, other.privateKey).sign(message)

    expect(await verify(signature, message)).toBe(false)
  })
})

it('rejects a signature in DER (RFC 7518 §3.4)', async () => {
  const { privateKey, published } = await aPair('ES256')
  const der = createSign('sha256').update(message).sign(KeyObject.from(privateKey))

  expect(await (await importVerifier(published))(der, message)).toBe(false)
})

it('law: converting an ECDSA signature to DER and back does not change it', () => {
  const coordinate = fc.oneof(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    // Small numbers, and numbers whose first bit is set.
    fc.nat(255).map((byte) => new Uint8Array(32).with(31, byte)),
    fc.nat(255).map((byte) => new Uint8Array(32).fill(7).with(0, byte)),
  )

  fc.assert(
    fc.property(coordinate, coordinate, (r, s) => {
      const joined = new Uint8Array([...r, ...s])
      expect(ecdsaFromDer(ecdsaToDer(joined) ?? joined)).toEqual(joined)
    }),
  )
})

it.for(['ES256', 'RS256', 'EdDSA', 'Ed25519'])(
  'signs and verifies %s with Web Crypto when Node’s modules are absent',
  (algorithm) => {
    const output = runWithoutBuiltins(`
    const { exportJWK, generateKeyPair } = await import('jose')
    const { createSigner, importVerifier } = await import('./jws.ts')
    const pair = await generateKeyPair('${algorithm}', { extractable: true })
    const verify = await importVerifier({ keyId: 'k', algorithm: '${algorithm}', jwk: await exportJWK(pair.publicKey) })
    const message = new TextEncoder().encode('header.payload')
    const signature = await createSigner('k', '${algorithm}', pair.privateKey).sign(message)
    console.log(JSON.stringify([await verify(signature, message), await verify(signature.with(0, signature[0] ^ 1), message)]))
  `)

    expect(output).toEqual([true, false])
  },
)

/** Runs the program in a process without Node's own modules and returns the JSON it prints. */
function runWithoutBuiltins(program: string): unknown {
  const script = `process.getBuiltinModule = undefined\n${program}`
  const args = ['--conditions=@mintmark/source', '--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }))
}
