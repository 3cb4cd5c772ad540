import { generateKeyPairSync } from 'node:crypto'

import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose'
import { describe, expect, it } from 'vitest'

import { verifyWithKeys } from './client-jwt.ts'
import { registerClient } from './registration.ts'

const fapi2 = { profile: 'fapi2', dpopBoundAccessTokens: true }

const keyFor = async (algorithm: string, change: object = {}): Promise<JWK> => ({
  ...(await exportJWK((await generateKeyPair(algorithm, { extractable: true })).publicKey)),
  ...change,
})
const rsaKey = (modulusLength: number): JWK =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' })

async function register(keys: readonly JWK[], change: object = {}) {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const registering = registerClient(
    {
      clientName: 'App',
      tokenEndpointAuthMethod: 'private_key_jwt',
      redirectUris: ['https://app.test/cb'],
      jwks: { keys: keys.map((key) => ({ ...key })) },
      ...change,
    },
    { storage },
  )
  const outcome = await registering.then(
    () => 'registered',
    (error: unknown) => (error as { readonly code: string }).code,
  )
  return { outcome, stored: (await storage.clients.list({ after: undefined, limit: 1 })).length }
}

describe('the keys of a client that authenticates with private_key_jwt', () => {
  it.each<[string, () => Promise<readonly JWK[]>, object?]>([
    ['P-384', async () => [await keyFor('ES384')]],
    ['P-521', async () => [await keyFor('ES512')]],
    ['RSA for RS512', async () => [{ ...rsaKey(2048), alg: 'RS512' }]],
    ['RSA of 512 bits', async () => [rsaKey(512)]],
    ['RSA of 1024 bits', async () => [rsaKey(1024)]],
    ['a key for encryption', async () => [await keyFor('ES256', { use: 'enc' })]],
    ['a key for other operations', async () => [await keyFor('ES256', { key_ops: ['deriveBits'] })]],
    ['an unknown algorithm', async () => [await keyFor('ES256', { alg: 'XX' })]],
    ['two keys with one kid', async () => [await keyFor('ES256', { kid: 'a' }), await keyFor('ES256', { kid: 'a' })]],
    ['two keys without kid', async () => [await keyFor('ES256'), await keyFor('ES256')]],
    ['RSA for RS256 in profile fapi2', async () => [{ ...rsaKey(2048), alg: 'RS256' }], fapi2],
    ['P-256 for request objects with PS256', async () => [await keyFor('ES256')], { requestObjectSigningAlg: 'PS256' }],
  ])('are refused when none of them can be used: %s (RFC 7591 §3.2.2, RFC 7517 §4)', async (_, keys, change) => {
    expect(await register(await keys(), change)).toEqual({ outcome: 'invalid_client_metadata', stored: 0 })
  })

  it.each<[string, () => Promise<readonly JWK[]>, object?]>([
    ['P-256', async () => [await keyFor('ES256')], fapi2],
    ['RSA of 2048 bits', async () => [rsaKey(2048)], fapi2],
    ['Ed25519', async () => [await keyFor('EdDSA', { alg: 'Ed25519' })], fapi2],
    ['EdDSA', async () => [await keyFor('EdDSA', { alg: 'EdDSA' })], { requestObjectSigningAlg: 'Ed25519' }],
    [
      'P-256 beside P-384 and a key for encryption',
      async () => [
        await keyFor('ES384'),
        await keyFor('ES256', { use: 'enc' }),
        await keyFor('ES256', { use: 'sig', key_ops: ['verify'] }),
      ],
    ],
    [
      'two keys with their own kid',
      async () => [await keyFor('ES256', { kid: 'a' }), await keyFor('ES256', { kid: 'b' })],
    ],
    [
      'keys of two types with one kid',
      async () => [await keyFor('ES256', { kid: 'a' }), await keyFor('EdDSA', { kid: 'a' })],
    ],
  ])('are accepted when one of them can be used: %s', async (_, keys, change) => {
    expect(await register(await keys(), change)).toEqual({ outcome: 'registered', stored: 1 })
  })
})

it.each([
  ['Ed25519', 'Ed25519'],
  ['Ed25519', 'EdDSA'],
  ['EdDSA', 'Ed25519'],
  ['EdDSA', 'EdDSA'],
  [undefined, 'Ed25519'],
])('verifies with a key for %s a JWT with the algorithm %s (RFC 9864 §2.2)', async (named, algorithm) => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), ...(named !== undefined && { alg: named }) }
  const jwt = await new CompactSign(new TextEncoder().encode('{"a":1}'))
    .setProtectedHeader({ alg: algorithm })
    .sign(privateKey)

  for (const accepted of ['EdDSA', 'Ed25519'])
    expect((await verifyWithKeys({ keys: [jwk] }, jwt, ['ES256', accepted]))?.claims).toEqual({ a: 1 })
  expect(await verifyWithKeys({ keys: [jwk] }, jwt, ['ES256'])).toBeUndefined()
})

it('verifies a JWT that names its key if no key of the set has a name (RFC 7515 §4.1.4)', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  const jwt = await new CompactSign(new TextEncoder().encode('{"a":1}'))
    .setProtectedHeader({ alg: 'ES256', kid: 'mine' })
    .sign(privateKey)
  const verifyWith = (...keys: readonly JWK[]) => verifyWithKeys({ keys: [...keys] }, jwt, ['ES256'])

  expect((await verifyWith(jwk, await keyFor('EdDSA')))?.claims).toEqual({ a: 1 })
  expect(await verifyWith({ ...jwk, kid: 'other' })).toBeUndefined()
  expect(await verifyWith(await keyFor('ES256'))).toBeUndefined()
})
