import { createHash, createHmac } from 'node:crypto'

import { clientId } from '@mintmark/storage-interface'
import { base64url, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, obtainCode, obtainTokens, postForm, redeem, token } from '../support/flow.ts'
import { expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { open, signIn, userinfo } from './sign-in.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  // The first use of a secret is recorded in storage; later ones within an hour are not.
  await obtainTokens(site)
})
afterAll(() => site.close())

const as = (id: 'A' | 'RS' | 'M') => ({ authorization: basic(id, site.clients[id].secret) })
const introspect = (about: string | undefined, caller: 'A' | 'RS' | 'M' = 'A') =>
  postForm(site, '/token/introspection', encode({ token: about }), as(caller))
const revoke = (about: string | undefined, headers = as('A')) =>
  postForm(site, '/token/revocation', encode({ token: about }), headers)
const bearer = (accessToken: string) => userinfo(site, { tokens: { access_token: accessToken } })

describe('ID tokens: common server errors', () => {
  it.each(['RS256', 'ES256'])(
    'at_hash is the left half of the access token’s SHA-256 in an ID token signed with %s (OIDC Core §3.1.3.6)',
    async (alg) => {
      await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: alg })

      const { tokens, claims, header } = await signIn(site)

      expect(header.alg).toBe(alg)
      expect(claims['at_hash']).toBe(
        createHash('sha256')
          .update(tokens['access_token'] ?? '')
          .digest()
          .subarray(0, 16)
          .toString('base64url'),
      )
      await changeClient(site.storage, clientId('A'), { idTokenSignedResponseAlg: 'RS256' })
    },
  )

  it('a refreshed ID token has the same iss, sub, aud and auth_time, a new iat and no nonce (OIDC Core §12.2)', async () => {
    const first = await obtainTokens(site)
    site.clock.advance(5)

    const { json } = await token(site, { grant_type: 'refresh_token', refresh_token: first['refresh_token'] })

    const { nonce, iat, exp: _exp, at_hash: _hash, ...same } = decodeJwt(first['id_token'] ?? '')
    const renewed = decodeJwt(String(json['id_token']))
    expect(renewed).toMatchObject(same)
    expect([nonce, renewed['nonce'], Number(renewed.iat) - Number(iat)]).toEqual(['n1', undefined, 5])
  })

  it('sub is the same in the ID token, access token, userinfo and introspection (OIDC Core §8)', async () => {
    const { tokens, claims } = await signIn(site)

    const subjects = [
      decodeJwt(tokens['access_token'] ?? '').sub,
      (await userinfo(site, { tokens })).json['sub'],
      (await introspect(tokens['access_token'])).json['sub'],
    ]

    expect(subjects).toEqual([claims.sub, claims.sub, claims.sub])
    expect(claims.sub).toMatch(/^[\x20-\x7E]{1,255}$/)
  })
})

describe('userinfo: common server errors', () => {
  it('no token gets a challenge without an error, a bad token invalid_token, a token without openid 403 (RFC 6750 §3.1)', async () => {
    const { json } = await redeem(site, await obtainCode(site, { scope: 'profile' }))

    const replies = [
      await site.send({ path: '/userinfo' }),
      await bearer('bad'),
      await bearer(String(json['access_token'])),
    ]

    expect(replies.map(({ status }) => status)).toEqual([401, 401, 403])
    expect(replies.map((reply) => /error="(\w+)"/.exec(reply.header('www-authenticate') ?? '')?.[1])).toEqual([
      undefined,
      'invalid_token',
      'insufficient_scope',
    ])
  })

  it('rejects a valid token in the query (RFC 9700 §4.3.2)', async () => {
    const { access_token: accessToken } = await obtainTokens(site)

    const reply = await site.send({ path: `/userinfo?${encode({ access_token: accessToken })}` })

    expect([reply.status, site.lastReason()]).toEqual([400, 'bearer_in_query'])
  })
})

describe('metadata: common server errors', () => {
  it('the issuer is exact, and both well-known paths answer (RFC 8414 §3.1)', async () => {
    const withPath = await startServer({ issuer: 'https://as.test/a' })

    const replies = await Promise.all(
      ['/a/.well-known/openid-configuration', '/.well-known/oauth-authorization-server/a'].map((path) =>
        withPath.send({ path }),
      ),
    )

    expect(replies.map(({ json }) => json['issuer'])).toEqual(['https://as.test/a', 'https://as.test/a'])
    await withPath.close()
  })
})

describe('introspection and revocation: common server errors', () => {
  it('the caller is authenticated (RFC 7662 §2.1)', async () => {
    const { access_token: accessToken } = await obtainTokens(site)
    const ask = (form: string) => postForm(site, '/token/introspection', form, {})

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      {
        reason: 'client_authentication_missing',
        send: () => ask(encode({ token: accessToken })),
      },
    )
    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      {
        reason: 'client_public',
        send: () => ask(encode({ token: accessToken, client_id: 'P' })),
      },
    )
  })

  it('foreign, forged, expired and unknown tokens are inactive, without further members (RFC 7662 §2.2, §4)', async () => {
    const { access_token: accessToken = '' } = await obtainTokens(site)
    const forged = accessToken.replace(
      /\.[^.]+\./,
      `.${base64url.encode(JSON.stringify({ ...decodeJwt(accessToken), scope: 'api.write' }))}.`,
    )

    const foreign = await introspect(accessToken, 'M')
    const changed = await introspect(forged)
    site.clock.advance(601)
    const expired = await introspect(accessToken)
    const unknown = await introspect('unknown')

    expect([foreign, changed, expired, unknown].map(({ status, text }) => [status, text])).toEqual(
      Array.from({ length: 4 }, () => [200, '{"active":false}']),
    )
  })

  it('revoking an unknown token is 200, a wrong secret is 401, and a wrong hint is ignored (RFC 7009 §2.2)', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(site)

    const unknown = await revoke('unknown')
    const wrong = await revoke(refreshToken, { authorization: basic('A', 'wrong') })
    const hinted = await postForm(
      site,
      '/token/revocation',
      encode({ token: refreshToken, token_type_hint: 'access_token' }),
      as('A'),
    )

    expect([unknown.status, wrong.status, hinted.status]).toEqual([200, 401, 200])
    expect((await introspect(refreshToken)).json).toEqual({ active: false })
  })

  it('revoking the refresh token revokes its access tokens (RFC 7009 §2.1)', async () => {
    const tokens = await obtainTokens(site)

    await revoke(tokens['refresh_token'])

    expect((await introspect(tokens['access_token'])).json).toEqual({ active: false })
    expect((await userinfo(site, { tokens })).status).toBe(401)
  })
})

describe('access tokens: common server errors', () => {
  it('resources are absolute URIs without a fragment, may repeat, and the token request may only narrow them (RFC 8707 §2)', async () => {
    const api = 'https://api.test'
    for (const resource of [`${api}#x`, '/relative', 'https://unknown.test']) {
      await expectErrorRedirect(
        site,
        { error: 'invalid_target' },
        { reason: 'resource_unknown', send: () => open(site, { resource }, 'U1') },
      )
    }
    const code = await obtainCode(site, { resource: api, scope: 'openid api.read' })
    const plain = await obtainCode(site)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_target' },
      {
        reason: 'resource_not_granted',
        send: () => redeem(site, plain, { resource: api }),
      },
    )
    const twice = { ...as('A'), 'content-type': 'application/x-www-form-urlencoded' }
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: 'https://app.test/cb',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    }
    const issued = await postForm(
      site,
      '/token',
      `${encode(form)}&${encode({ resource: api })}&${encode({ resource: api })}`,
      twice,
    )
    expect(decodeJwt(String(issued.json['access_token'])).aud).toBe(api)
  })

  it('an access token has typ at+jwt, iss, exp, aud, sub, client_id, iat and jti (RFC 9068 §2)', async () => {
    const { access_token: accessToken = '' } = await obtainTokens(site)

    expect(decodeProtectedHeader(accessToken).typ).toBe('at+jwt')
    expect(Object.keys(decodeJwt(accessToken))).toEqual(
      expect.arrayContaining(['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti']),
    )
  })

  it('rejects an ID token as an access token (RFC 9068 §4)', async () => {
    const { id_token: idToken = '' } = await obtainTokens(site)

    expect((await bearer(idToken)).status).toBe(401)
    expect((await introspect(idToken)).json).toEqual({ active: false })
  })

  it('rejects alg none, HMAC with the public key, another key and a key in the header (RFC 8725 §3.1)', async () => {
    const { access_token: accessToken = '' } = await obtainTokens(site)
    const claims = decodeJwt(accessToken)
    const kid = decodeProtectedHeader(accessToken).kid ?? ''

    const forgeries = await forge(claims, kid)
    const statuses = await Promise.all(forgeries.map(async (forgery) => (await bearer(forgery)).status))

    expect((await bearer(accessToken)).status).toBe(200)
    expect(statuses).toEqual(forgeries.map(() => 401))
  })
})

/** Returns JWTs with the same claims, unsigned or signed by keys that the server must not accept. */
async function forge(claims: JWTPayload, kid: string): Promise<readonly string[]> {
  const { keys } = (await site.send({ path: '/jwks' })).json as { keys: Record<string, string>[] }
  const published = keys.find((key) => key['kid'] === kid) ?? {}
  const own = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(own.publicKey)
  const unsigned = (header: object) =>
    `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}`
  const hmac = unsigned({ alg: 'HS256', typ: 'at+jwt', kid })
  return [
    `${unsigned({ alg: 'none', typ: 'at+jwt', kid })}.`,
    `${hmac}.${createHmac('sha256', JSON.stringify(published)).update(hmac).digest('base64url')}`,
    await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid }).sign(own.privateKey),
    await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, jwk }).sign(own.privateKey),
    await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'own', jku: 'https://evil.test/jwks' })
      .sign(own.privateKey),
  ]
}
