import { clientId } from '@mintmark/storage-interface'
import {
  compactDecrypt,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  type GenerateKeyPairOptions,
  type JWK,
} from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { answerInteraction, authorize, obtainCode, obtainTokens, redeem } from '../support/flow.ts'
import { expectRefusal, expectJsonRefusal, expectErrorPage } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { postAs, userinfo } from '../support/token-calls.ts'

let site: ServerUnderTest
beforeEach(async () => {
  site = await startServer()
})
afterEach(() => site.close())

type Pair = Awaited<ReturnType<typeof generateKeyPair>>

async function aKey(algorithm: string, options?: GenerateKeyPairOptions): Promise<{ pair: Pair; jwk: JWK }> {
  const pair = await generateKeyPair(algorithm, { extractable: true, ...options })
  return { pair, jwk: { ...(await exportJWK(pair.publicKey)), use: 'enc', kid: 'e1' } }
}

const register = (jwk: JWK, change: object) =>
  changeClient(site.storage, clientId('A'), { jwks: { keys: [{ ...jwk }] }, ...change })

/** Decrypts a response with the client's key, and verifies the signature of the JWT in it. */
async function opened(answer: string, { privateKey }: Pair) {
  const { plaintext, protectedHeader } = await compactDecrypt(answer, privateKey)
  const keys = (await site.keys.publicKeys()).map(({ jwk }) => jwk)
  const { payload } = await jwtVerify(plaintext, createLocalJWKSet({ keys }), {
    issuer: site.issuer,
    audience: 'A',
    currentDate: new Date(site.clock.now() * 1000),
  })
  return { header: protectedHeader, claims: payload }
}

const introspectSigned = (token: string) =>
  postAs(site, 'A', {
    path: '/token/introspection',
    form: { token },
    headers: { accept: 'application/token-introspection+jwt' },
  })

describe('a client that asked for encrypted responses', () => {
  it.each([
    ['RSA-OAEP-256', 'A256GCM', undefined],
    ['ECDH-ES', 'A128CBC-HS256', undefined],
    ['ECDH-ES', 'A128GCM', { crv: 'X25519' }],
    ['ECDH-ES+A256KW', 'A256GCM', { crv: 'P-384' }],
  ])('gets ID tokens that are signed, then encrypted with %s and %s (OIDC Core §2)', async (alg, enc, options) => {
    const { pair, jwk } = await aKey(alg, options)
    await register(jwk, { idTokenEncryptedResponseAlg: alg, idTokenEncryptedResponseEnc: enc })

    const { id_token: idToken = '' } = await obtainTokens(site)

    const { header, claims } = await opened(idToken, pair)
    expect(header).toMatchObject({ alg, enc, cty: 'JWT', kid: 'e1' })
    expect(header).not.toHaveProperty('zip')
    expect(claims.sub).toBe('U1')
  })

  it('gets userinfo that is signed, then encrypted with A128CBC-HS256 by default (OIDC Core §5.3.2)', async () => {
    const { pair, jwk } = await aKey('ECDH-ES')
    await register(jwk, { userinfoSignedResponseAlg: 'ES256', userinfoEncryptedResponseAlg: 'ECDH-ES' })
    const { access_token: accessToken = '' } = await obtainTokens(site)

    const reply = await userinfo(site, accessToken)

    const { header, claims } = await opened(reply.text, pair)
    expect(reply.header('content-type')).toBe('application/jwt')
    expect(header.enc).toBe('A128CBC-HS256')
    expect(claims.sub).toBe('U1')
  })

  it('gets introspection responses that are signed, then encrypted (RFC 9701 §5)', async () => {
    const { pair, jwk } = await aKey('ECDH-ES+A256KW')
    await register(jwk, { introspectionEncryptedResponseAlg: 'ECDH-ES+A256KW' })
    const { access_token: accessToken = '' } = await obtainTokens(site)

    const reply = await introspectSigned(accessToken)

    const { claims } = await opened(reply.text, pair)
    expect(reply.header('content-type')).toBe('application/token-introspection+jwt')
    expect(claims['token_introspection']).toMatchObject({ active: true, sub: 'U1' })
  })
})

describe('authorization responses of a client that asked for encryption', () => {
  const jarm = { authorizationSignedResponseAlg: 'ES256', authorizationEncryptedResponseAlg: 'ECDH-ES' }

  beforeEach(() => obtainCode(site))

  it('are signed, then encrypted with A128CBC-HS256 by default (JARM §2.2)', async () => {
    const { pair, jwk } = await aKey('ECDH-ES')
    await register(jwk, jarm)

    const { searchParams } = (await authorize(site, { response_mode: 'jwt' })).location
    const { header, claims } = await opened(searchParams.get('response') ?? '', pair)

    expect([...searchParams.keys()]).toEqual(['response'])
    expect(header).toMatchObject({ alg: 'ECDH-ES', enc: 'A128CBC-HS256', cty: 'JWT', kid: 'e1' })
    expect(claims).toMatchObject({ aud: 'A', state: 's1' })
    expect((await redeem(site, String(claims['code']))).status).toBe(200)
  })

  it('are posted as an encrypted JWT (JARM §2.3.3)', async () => {
    const { pair, jwk } = await aKey('RSA-OAEP-256')
    const algorithms = {
      authorizationEncryptedResponseAlg: 'RSA-OAEP-256',
      authorizationEncryptedResponseEnc: 'A256GCM',
    }
    await register(jwk, { ...jarm, ...algorithms })

    const page = await authorize(site, { response_mode: 'form_post.jwt' })
    const { header, claims } = await opened(/name="response" value="([^"]+)"/.exec(page.text)?.[1] ?? '', pair)

    expect([header.enc, claims['state']]).toEqual(['A256GCM', 's1'])
  })

  it('are encrypted when they are errors (JARM §2.1)', async () => {
    const { pair, jwk } = await aKey('ECDH-ES')
    await register(jwk, jarm)

    const { searchParams } = (await authorize(site, { prompt: 'none' }, { cookie: '' })).location
    const { claims } = await opened(searchParams.get('response') ?? '', pair)

    expect(claims).toMatchObject({ error: 'login_required', state: 's1' })
  })

  it.each([
    ['a code', {}],
    ['an error', { scope: 'unknown' }],
  ])('are replaced by an error page when the encryption key is missing: %s (JARM §2.4)', async (_case, change) => {
    await changeClient(site.storage, clientId('A'), jarm)

    const page = await expectErrorPage(site, {
      send: () => authorize(site, change),
      reason: 'scope' in change ? 'scope_missing' : 'encryption_key_missing',
      storage: 'may change',
    })

    expect(page.text).toContain('unauthorized_client')
  })
})

it('a deactivated user reads why on a page, even if the key of the client is missing (RFC 6749 §4.1.2.1)', async () => {
  await obtainCode(site)
  await changeClient(site.storage, clientId('A'), {
    authorizationSignedResponseAlg: 'ES256',
    authorizationEncryptedResponseAlg: 'ECDH-ES',
  })
  const started = await authorize(site, { prompt: 'login' }, { cookie: '' })

  const page = await expectRefusal(site, {
    send: () => answerInteraction(site, started, `subject=U2&auth_time=${site.clock.now()}`),
    reason: 'user_inactive',
    storage: 'may change',
  })

  expect(page.status).toBe(403)
  expect(page.text).toContain('Your account is deactivated.')
})

describe('a client without a usable key gets an error, and no unencrypted response', () => {
  const unusable: readonly (readonly [string, (good: JWK) => JWK])[] = [
    ['for signatures', (good) => ({ ...good, use: 'sig' })],
    ['without use', ({ use: _use, ...good }) => good],
    ['for another algorithm', (good) => ({ ...good, alg: 'ECDH-ES+A256KW' })],
    ['on another curve', (good) => ({ ...good, crv: 'secp256k1' })],
    ['that is not on its curve', (good) => ({ ...good, x: good.y ?? '', y: good.x ?? '' })],
  ]

  it.each(unusable)('when its only key is a key %s (OIDC Core §10.2)', async (_, change) => {
    const { jwk } = await aKey('ECDH-ES')
    await register(change(jwk), { idTokenEncryptedResponseAlg: 'ECDH-ES' })
    const code = await obtainCode(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      { send: () => redeem(site, code), reason: 'encryption_key_missing', storage: 'may change' },
    )
  })

  it('when its RSA key is shorter than 2048 bits (RFC 7518 §4.3)', async () => {
    const short = { kty: 'RSA', use: 'enc', e: 'AQAB', n: Buffer.alloc(128, 0xc5).toString('base64url') }
    await register(short, { introspectionEncryptedResponseAlg: 'RSA-OAEP-256' })
    const { access_token: accessToken = '' } = await obtainTokens(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      { send: () => introspectSigned(accessToken), reason: 'encryption_key_missing' },
    )
  })

  it('at the userinfo endpoint (OIDC Core §5.3.2)', async () => {
    await changeClient(site.storage, clientId('A'), {
      userinfoSignedResponseAlg: 'ES256',
      userinfoEncryptedResponseAlg: 'ECDH-ES',
    })
    const { access_token: accessToken = '' } = await obtainTokens(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      { send: () => userinfo(site, accessToken), reason: 'encryption_key_missing' },
    )
  })
})

it('discovery lists the encryption algorithms, and neither RSA1_5 nor algorithms for shared keys (OIDC Discovery §3, RFC 9701 §7)', async () => {
  const { json } = await site.send({ path: '/.well-known/openid-configuration' })

  for (const answer of ['id_token', 'userinfo', 'introspection', 'authorization']) {
    expect(json[`${answer}_encryption_alg_values_supported`]).toEqual(['RSA-OAEP-256', 'ECDH-ES', 'ECDH-ES+A256KW'])
    expect(json[`${answer}_encryption_enc_values_supported`]).toEqual(['A128CBC-HS256', 'A128GCM', 'A256GCM'])
  }
})
