import { createHash } from 'node:crypto'

import { clientId } from '@mintmark/storage-interface'
import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { redeem } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { ask, signIn } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

const verify = async (token: string) => {
  const { json } = await site.send({ path: '/jwks' })
  return jwtVerify(token, createLocalJWKSet(json as unknown as JSONWebKeySet), {
    issuer: site.issuer,
    audience: 'A',
    currentDate: new Date(site.clock.now() * 1000),
  })
}

describe('ID token', () => {
  it('carries iss, sub, aud, exp, iat, auth_time, nonce, at_hash, amr and sid, and nothing that was not requested (OIDC Core §2)', async () => {
    const { claims } = await signIn(site, { scope: 'openid' })

    const now = site.clock.now()
    expect(claims).toEqual({
      iss: 'https://as.test',
      sub: 'U1',
      aud: 'A',
      exp: now + 600,
      iat: now,
      auth_time: now - 5,
      nonce: 'n1',
      at_hash: expect.any(String) as string,
      amr: ['pwd'],
      sid: 'sid-U1',
    })
  })

  it.each(['RS256', 'ES256'])('is signed with the %s key that its client chose (OIDC Core §3.1.3.7)', async (alg) => {
    await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: alg })

    const { tokens, header } = await signIn(site)

    const { payload } = await verify(tokens['id_token'] ?? '')
    expect(header).toMatchObject({ alg, kid: expect.any(String) as string })
    expect(payload.sub).toBe('U1')
    await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: 'RS256' })
  })

  it('is signed with RS256 when the client chose nothing (OIDC Core §15.1)', async () => {
    const { header } = await signIn(site)

    expect(header.alg).toBe('RS256')
  })

  it.each(['RS256', 'ES256'])(
    'at_hash is the left half of the access token’s SHA-256 (%s) (OIDC Core §3.1.3.6)',
    async (alg) => {
      await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: alg })

      const { tokens, claims } = await signIn(site)

      const hash = createHash('sha256')
        .update(tokens['access_token'] ?? '')
        .digest()
      expect(claims['at_hash']).toBe(hash.subarray(0, 16).toString('base64url'))
      await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: 'RS256' })
    },
  )

  it.each([
    'n-0S6_WzA2Mj',
    'with spaces  and + and %2B',
    'quotes "\' and <b>&amp; \\ /',
    'Grüße, 世界, 👋',
    'x'.repeat(1024),
  ])('returns the nonce %j byte for byte (OIDC Core §3.1.2.1)', async (nonce) => {
    const { claims } = await signIn(site, { nonce })

    expect(claims['nonce']).toBe(nonce)
  })

  it('has no nonce if the request had none (OIDC Core §3.1.2.1)', async () => {
    const { claims } = await signIn(site, { nonce: undefined })

    expect(claims).not.toHaveProperty('nonce')
  })

  it('sub is at most 255 ASCII characters and the same in every token and response (OIDC Core §2)', async () => {
    const { tokens, claims } = await signIn(site, { scope: 'openid profile' })

    expect(claims.sub).toMatch(/^[\x21-\x7E]{1,255}$/)
    expect(decodeJwt(tokens['access_token'] ?? '').sub).toBe(claims.sub)
  })

  it('contains the claims of the granted scopes (OIDC Core §5.4)', async () => {
    const { claims } = await signIn(site, { scope: 'openid profile email' })

    expect(claims).toMatchObject({
      name: 'Ann Lee',
      given_name: 'Ann',
      family_name: 'Lee',
      email: 'ann@example.test',
      email_verified: true,
    })
  })

  it('is absent when the request lacks the scope openid (OIDC Core §3.1.2.1)', async () => {
    const reply = await ask(site, { scope: 'api.read' })

    const { json } = await redeem(site, reply.location.searchParams.get('code') ?? '')

    expect(json).toMatchObject({ scope: 'api.read' })
    expect(json).not.toHaveProperty('id_token')
  })
})
