import { epochSeconds, keyId, type JsonObject } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { base64url, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { secretDigest } from '@mintmark/storage-interface/stores'

import { signJwt } from './jws.ts'
import {
  createVerifiedJwts,
  isCompactJws,
  isCurrent,
  verifyOwnJwt,
  type VerifyOwnJwtDependencies,
} from './verify-jwt.ts'
import type { KeyRing, PublicKey, Signer } from './ring.ts'
import { createSigner } from './jws.ts'

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 })
const parts = fc.tuple(bytes, bytes, bytes).map((three) => three.map((part) => base64url.encode(part)))

describe('compact serialization (RFC 7515 §7.1)', () => {
  it('law: any three base64url parts are a compact JWS', () => {
    fc.assert(
      fc.property(parts, (three) => {
        expect(isCompactJws(three.join('.'))).toBe(true)
      }),
    )
  })

  it('law: no other spelling of the same bytes is a compact JWS', () => {
    const lastOf = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split(''))

    fc.assert(
      fc.property(parts, fc.nat(2), lastOf, (three, index, last) => {
        const spelled = three.with(index, `${(three[index] ?? '').slice(0, -1)}${last}`)
        const isCanonical = spelled.every((part) => base64url.encode(base64url.decode(part)) === part)
        expect(isCompactJws(spelled.join('.'))).toBe(isCanonical)
      }),
    )
  })

  it.for([
    '',
    '..',
    'QQ..QQ',
    'QQ.QQ',
    'QQ.QQ.QQ.QQ',
    'QQ.QQ.Q',
    'QQ.QQ.QQ==',
    'QQ.QQ.QQ\n',
    ' QQ.QQ.QQ',
    'QQ.QQ.Q+',
    'QQ.QR.QQ',
    'QQ.QQ.QQB',
  ])('rejects %j', (text) => expect(isCompactJws(text)).toBe(false))

  it('rejects more than 8192 characters', () => {
    const payload = 'QUFB'.repeat(2046)

    expect(isCompactJws(`QQ.${payload}.QUE`)).toBe(true)
    expect(isCompactJws(`QQ.${payload}QUFB.QUE`)).toBe(false)
  })
})

const issuer = 'https://as.test'
const claims: JsonObject = { iss: issuer, sub: 'U1', iat: 1000, exp: 1060 }

/** A ring whose published keys the test can change, with the dependencies of verification. */
async function aRing(): Promise<{ deps: VerifyOwnJwtDependencies; signer: Signer; published: PublicKey[] }> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const signer = createSigner(keyId('k1'), 'ES256', pair.privateKey)
  const published = [await publicKey(pair.publicKey)]
  const keys: KeyRing = {
    algorithms: ['ES256'],
    signer: () => Promise.resolve(signer),
    publicKeys: () => Promise.resolve(published),
    deriveSecrets: () => Promise.resolve([]),
  }
  return { deps: { issuer, keys, verifiedJwts: createVerifiedJwts() }, signer, published }
}

const publicKey = async (key: CryptoKey): Promise<PublicKey> => ({
  keyId: keyId('k1'),
  algorithm: 'ES256',
  jwk: await exportJWK(key),
})

describe('a remembered JWT', () => {
  it('is accepted without verifying the signature again', async () => {
    const { deps, signer } = await aRing()
    const token = await signJwt('at+jwt', claims, signer)
    const verify = vi.spyOn(process.getBuiltinModule('node:crypto'), 'verify')

    const first = await verifyOwnJwt(token, 'at+jwt', deps)
    const again = await verifyOwnJwt(token, 'at+jwt', deps)

    expect([first, again]).toEqual([claims, claims])
    expect(verify).toHaveBeenCalledTimes(1)
    verify.mockRestore()
  })

  it('is rejected once its key is no longer published (RFC 7517 §5)', async () => {
    const { deps, signer, published } = await aRing()
    const token = await signJwt('at+jwt', claims, signer)
    await verifyOwnJwt(token, 'at+jwt', deps)

    const [key] = published.splice(0)

    expect(await verifyOwnJwt(token, 'at+jwt', deps)).toBeUndefined()
    // Another key with the same identifier does not validate the signature of this one.
    const other = await generateKeyPair('ES256', { extractable: true })
    published.push(await publicKey(other.publicKey))
    expect(await verifyOwnJwt(token, 'at+jwt', deps)).toBeUndefined()
    expect(key?.keyId).toBe('k1')
  })

  it('is not accepted as another type (RFC 8725 §3.11)', async () => {
    const { deps, signer } = await aRing()
    const token = await signJwt('JWT', claims, signer)

    expect(await verifyOwnJwt(token, 'JWT', deps)).toEqual(claims)
    expect(await verifyOwnJwt(token, 'at+jwt', deps)).toBeUndefined()
  })

  it('does not make another spelling of itself valid (RFC 7515 §2)', async () => {
    const { deps, signer } = await aRing()
    const token = await signJwt('at+jwt', claims, signer)
    await verifyOwnJwt(token, 'at+jwt', deps)

    for (const spelling of [`${token}=`, ` ${token}`, `${token}\n`])
      expect(await verifyOwnJwt(spelling, 'at+jwt', deps)).toBeUndefined()
  })

  it('is checked against the issuer each time (RFC 9068 §4)', async () => {
    const { deps, signer } = await aRing()
    const token = await signJwt('at+jwt', claims, signer)
    await verifyOwnJwt(token, 'at+jwt', deps)

    expect(await verifyOwnJwt(token, 'at+jwt', { ...deps, issuer: 'https://other.test' })).toBeUndefined()
  })

  it('is checked for expiry each time (RFC 7519 §4.1.4)', async () => {
    const { deps, signer } = await aRing()
    const token = await signJwt('at+jwt', claims, signer)
    await verifyOwnJwt(token, 'at+jwt', deps)

    const payload = (await verifyOwnJwt(token, 'at+jwt', deps)) ?? {}

    expect([isCurrent(payload, epochSeconds(1059)), isCurrent(payload, epochSeconds(1060))]).toEqual([true, false])
  })

  it('is forgotten after 4,096 others', async () => {
    const { deps } = await aRing()
    const jwt = { type: 'at+jwt', key: { keyId: keyId('k1'), algorithm: 'ES256', jwk: {} }, payload: claims } as const

    for (let index = 0; index <= 4096; index += 1) deps.verifiedJwts.remember(secretDigest(`digest ${index}`), jwt)

    expect(deps.verifiedJwts.recall(secretDigest('digest 0'))).toBeUndefined()
    expect(deps.verifiedJwts.recall(secretDigest('digest 1'))).toBe(jwt)
  })
})
