import { createHash } from 'node:crypto'

import { registerClient, createStoredKeys, type SigningAlgorithm } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, basic, encode, obtainCode, obtainTokens, postForm, redeem } from '../support/flow.ts'
import { expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, userinfo } from '../support/token-calls.ts'

type Algorithms = readonly [SigningAlgorithm, ...SigningAlgorithm[]]

const issuer = 'https://as.test'
const aRing = (algorithms: Algorithms) =>
  createStoredKeys({ storage: createMemoryStorage({ issuer }), sealingKey: 'A'.repeat(43), algorithms })

async function serverWith(algorithms: Algorithms): Promise<ServerUnderTest> {
  const site = await startServer({ keys: aRing(algorithms) })
  onTestFinished(() => site.close())
  return site
}

const everywhere: readonly SigningAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
const postQuantum: readonly SigningAlgorithm[] = ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87']
const subtle = SubtleCrypto as { supports?(operation: string, algorithm: string): boolean }
const here = postQuantum.filter((algorithm) => subtle.supports?.('sign', algorithm) === true)

describe.each<SigningAlgorithm>([...everywhere, ...here])(
  'a server that signs with %s (RFC 7518 §3.1)',
  (algorithm) => {
    it('issues tokens that a reader of its key set verifies and that it accepts itself', async () => {
      const site = await serverWith([algorithm])
      await changeClient(site.storage, clientId('A'), {
        idTokenSignedResponseAlg: algorithm,
        userinfoSignedResponseAlg: algorithm,
      })

      const tokens = await obtainTokens(site)

      const keys = createLocalJWKSet((await site.send({ path: '/jwks' })).json as unknown as JSONWebKeySet)
      const options = { algorithms: [algorithm], issuer, currentDate: new Date(site.clock.now() * 1000) }
      const claims = await userinfo(site, tokens['access_token'] ?? '')
      const accessToken = await jwtVerify(tokens['access_token'] ?? '', keys, { ...options, typ: 'at+jwt' })
      const idToken = await jwtVerify(tokens['id_token'] ?? '', keys, { ...options, audience: 'A' })
      const signedClaims = await jwtVerify(claims.text, keys, { ...options, audience: 'A' })
      expect([accessToken.payload.sub, idToken.payload.sub, signedClaims.payload.sub]).toEqual(['U1', 'U1', 'U1'])
      expect((await introspect(site, tokens['access_token'] ?? '')).json['active']).toBe(true)
      expect((await authorize(site, { id_token_hint: tokens['id_token'] })).location.searchParams.has('code')).toBe(
        true,
      )
    })

    it('binds the access token with the hash of its algorithm, where there is one (OIDC Core §3.1.3.6)', async () => {
      const site = await serverWith([algorithm])
      await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: algorithm })

      const tokens = await obtainTokens(site)

      const hashNames: Partial<Record<SigningAlgorithm, string>> = {
        RS256: 'sha256',
        PS256: 'sha256',
        ES256: 'sha256',
        EdDSA: 'sha512',
        Ed25519: 'sha512',
      }
      const hashName = hashNames[algorithm]
      const hash =
        hashName === undefined
          ? undefined
          : createHash(hashName)
              .update(tokens['access_token'] ?? '')
              .digest()
      expect(decodeJwt(tokens['id_token'] ?? '')['at_hash']).toBe(
        hash?.subarray(0, hash.length / 2).toString('base64url'),
      )
    })
  },
)

describe('a client that chose no algorithm', () => {
  it.each<readonly [Algorithms, string]>([
    [['ES256'], 'ES256'],
    [['RS256'], 'RS256'],
    [['ES256', 'RS256'], 'RS256'],
  ])('a key ring with %j signs its ID tokens with %s (OIDC Registration §2)', async (algorithms, alg) => {
    const site = await serverWith(algorithms)

    const tokens = await obtainTokens(site)
    const discovery = await site.send({ path: '/.well-known/openid-configuration' })

    expect(decodeProtectedHeader(tokens['id_token'] ?? '').alg).toBe(alg)
    expect(discovery.json['id_token_signing_alg_values_supported']).toEqual(algorithms)
    expect((await userinfo(site, tokens['access_token'] ?? '')).status).toBe(200)
  })

  it('a key ring without RS256 signs an introspection response with its first algorithm (RFC 9701 §6)', async () => {
    const site = await serverWith(['ES256'])
    const { access_token: accessToken = '' } = await obtainTokens(site)

    const reply = await postForm(site, '/token/introspection', encode({ token: accessToken }), {
      authorization: basic('A', site.clients.A.secret),
      accept: 'application/token-introspection+jwt',
    })

    expect([reply.status, decodeProtectedHeader(reply.text).alg]).toEqual([200, 'ES256'])
  })
})

describe('a client that chose an algorithm for which the server has no key', () => {
  it('is rejected at the authorization endpoint, before the user signs in (OIDC Registration §2)', async () => {
    const site = await serverWith(['RS256'])
    await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: 'ES256' })

    await expectErrorRedirect(
      site,
      { error: 'unauthorized_client' },
      { send: () => authorize(site), reason: 'signing_algorithm_unavailable' },
    )
  })

  it('succeeds for OAuth 2.0 without OpenID Connect, which needs no ID token', async () => {
    const site = await serverWith(['RS256'])
    await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: 'ES256' })

    const reply = await redeem(site, await obtainCode(site, { scope: 'profile' }))

    expect([reply.status, reply.json['id_token']]).toEqual([200, undefined])
  })

  it('gets an error response, not a server error, if its algorithm changes between code and token (RFC 6749 §5.2)', async () => {
    const site = await serverWith(['RS256'])
    const code = await obtainCode(site)
    await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: 'ES256' })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      { send: () => redeem(site, code), reason: 'signing_algorithm_unavailable', storage: 'may change' },
    )
  })

  it('gets an error from userinfo, never a format that is not registered (OIDC Core §5.3.2)', async () => {
    const site = await serverWith(['RS256'])
    const { access_token: accessToken = '' } = await obtainTokens(site)
    await changeClient(site.storage, clientId('A'), { userinfoSignedResponseAlg: 'ES256' })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      { send: () => userinfo(site, accessToken), reason: 'signing_algorithm_unavailable' },
    )
  })
})

describe('registration', () => {
  const app = { clientName: 'App', redirectUris: ['https://app.test/cb'] }

  it('accepts a client that chooses no algorithm, whatever the key ring signs with (OIDC Registration §2)', async () => {
    const storage = createMemoryStorage({ issuer })

    const { client } = await registerClient({ ...app, clientId: 'app' }, { storage, keys: aRing(['ES256']) })

    expect(await storage.clients.find(clientId('app'))).toEqual(client)
  })

  it.each(['idTokenSignedResponseAlg', 'userinfoSignedResponseAlg'] as const)(
    'rejects %s that the key ring does not sign with, and stores nothing (RFC 7591 §3.2.2)',
    async (member) => {
      const storage = createMemoryStorage({ issuer })

      const registering = registerClient(
        { ...app, clientId: 'app', [member]: 'RS256' },
        { storage, keys: aRing(['ES256']) },
      )

      await expect(registering).rejects.toMatchObject({ code: 'invalid_client_metadata' })
      expect(await storage.clients.find(clientId('app'))).toBeUndefined()
    },
  )
})
