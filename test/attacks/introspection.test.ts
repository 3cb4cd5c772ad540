import { registerClient, type RefusalReason } from '@mintmark/core'
import { clientId, userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, obtainCode, postForm } from '../support/flow.ts'
import { readJws, signEs256, writeJws } from '../support/forge-jwt.ts'
import { expectRefusal, expectJsonRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  postAs,
  refresh,
  revoke,
  serviceToken,
  tokensFor,
  tokensOf,
  type ClientName,
  type Tokens,
} from '../support/token-calls.ts'

const path = '/token/introspection'

let site: ServerUnderTest
let tokens: Tokens
beforeAll(async () => {
  site = await startServer()
  await authenticateEveryClient(site)
  tokens = await tokensFor(site, 'A')
})
afterAll(() => site.close())

/** Asserts that the response body is exactly `{"active":false}`, checks its headers, and that nothing was stored. */
async function expectInactive(at: ServerUnderTest, token: string, client: ClientName = 'A'): Promise<void> {
  const before = at.dump()
  const reply = await introspect(at, token, client)

  expect([reply.status, reply.text]).toEqual([200, '{"active":false}'])
  expect(reply.header('content-type')).toBe('application/json')
  expect(reply.header('cache-control')).toBe('no-store')
  expect(reply.header('pragma')).toBe('no-cache')
  expect(at.dump()).toBe(before)
}

describe('introspection: callers and requests that are rejected', () => {
  it.each<readonly [string, () => Promise<Reply>, number, string, RefusalReason]>([
    [
      'no authentication (RFC 7662 §2.1)',
      () => postForm(site, path, encode({ token: tokens.access_token }), {}),
      401,
      'invalid_client',
      'client_authentication_missing',
    ],
    [
      'a wrong secret (RFC 7662 §2.1)',
      () => postForm(site, path, encode({ token: tokens.access_token }), { authorization: basic('RS', 'x') }),
      401,
      'invalid_client',
      'client_credentials_wrong',
    ],
    [
      'the token as its own authorization (RFC 7662 §2.1)',
      () =>
        postForm(site, path, encode({ token: tokens.access_token }), {
          authorization: `Bearer ${tokens.access_token}`,
        }),
      401,
      'invalid_client',
      'client_unknown',
    ],
    [
      'the public client P (RFC 7662 §4)',
      () => introspect(site, tokens.access_token, 'P'),
      401,
      'invalid_client',
      'client_public',
    ],
    [
      'the public client N (RFC 7662 §4)',
      () => introspect(site, tokens.access_token, 'N'),
      401,
      'invalid_client',
      'client_public',
    ],
    [
      'a request without a token (RFC 7662 §2.1)',
      () => postAs(site, 'RS', { path, form: {} }),
      400,
      'invalid_request',
      'token_missing',
    ],
    ['an empty token (RFC 7662 §2.1)', () => introspect(site, '', 'RS'), 400, 'invalid_request', 'token_missing'],
    [
      'a token in the query (RFC 7662 §2.1)',
      () => postAs(site, 'RS', { path: `${path}?token=${tokens.access_token}`, form: {} }),
      400,
      'invalid_request',
      'token_missing',
    ],
    [
      'two tokens (RFC 6749 §3.2)',
      () => postForm(site, path, `token=a&token=b`, { authorization: basic('RS', site.clients.RS.secret) }),
      400,
      'invalid_request',
      'parameter_repeated',
    ],
    [
      'a JSON body (RFC 7662 §2.1)',
      () =>
        postForm(site, path, '{"token":"x"}', {
          authorization: basic('RS', site.clients.RS.secret),
          'content-type': 'application/json',
        }),
      400,
      'invalid_request',
      'body_not_a_form',
    ],
  ])('%s', async (_, send, status, error, reason) => {
    await expectJsonRefusal(site, { status, error }, { send, reason, secrets: [tokens.access_token] })

    expect((await introspect(site, tokens.access_token)).json['active']).toBe(true)
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('rejects %s (RFC 7662 §2.1)', async (method) => {
    const reply = await expectRefusal(site, {
      send: () => site.send({ method, path: `${path}?token=${tokens.access_token}` }),
      reason: 'method_not_allowed',
    })

    expect([reply.status, reply.header('allow'), reply.header('cache-control')]).toEqual([405, 'POST', 'no-store'])
  })
})

describe('introspection: tokens that are not active', () => {
  it.each<readonly [string, () => Promise<string> | string]>([
    ['an unknown token (RFC 7662 §2.2)', () => 'unknown'],
    ['a malformed JWT (RFC 7662 §2.2)', () => 'a.b.c'],
    ['an unknown opaque token (RFC 7662 §2.2)', () => 'A'.repeat(43)],
    ['an unknown refresh token (RFC 7662 §2.2)', () => 'A'.repeat(107)],
    ['an ID token (RFC 7662 §2.2)', () => tokens.id_token],
    ['an authorization code (RFC 7662 §2.2)', () => obtainCode(site)],
    ['a client secret (RFC 7662 §2.2)', () => site.clients.A.secret],
    ['a token that is a NUL (RFC 7662 §2.2)', () => '\0'],
    ['the token __proto__ (RFC 7662 §2.2)', () => '__proto__'],
    ['a token with white space around it (RFC 7662 §2.2)', () => ` ${tokens.access_token} `],
    ['a token of 8,000 characters (RFC 7662 §2.2)', () => 'x'.repeat(8000)],
    [
      'the token with another scope, signed with a foreign key (RFC 7662 §4)',
      async () => {
        const { header, payload } = readJws(tokens.access_token)
        const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
        return writeJws(header, { ...payload, scope: 'openid api.write' }, signEs256(pair.privateKey))
      },
    ],
  ])('%s', async (_, obtain) => {
    await expectInactive(site, await obtain())
  })

  it.each<readonly [string, ClientName, keyof Tokens]>([
    ["A's access token, introspected by B", 'B', 'access_token'],
    ["A's access token, introspected by M", 'M', 'access_token'],
    ["A's access token for this server, introspected by RS", 'RS', 'access_token'],
    ["A's refresh token, introspected by RS", 'RS', 'refresh_token'],
    ["A's refresh token, introspected by B", 'B', 'refresh_token'],
  ])('%s (RFC 7662 §2.2, §4)', async (_, client, kind) => {
    const reply = await introspect(site, tokens[kind], client)

    expect([reply.status, reply.text]).toEqual([200, '{"active":false}'])
  })

  it('answers inactive to a resource server that no longer serves the audience (RFC 7662 §4)', async () => {
    const other = await startFreshServer()
    const { access_token } = tokensOf(await serviceToken(other, { resource: 'https://api.test' }))
    const before = (await introspect(other, access_token, 'RS')).json['active']
    await changeClient(other.storage, clientId('RS'), { servedAudiences: ['https://other.test'] })

    await expectInactive(other, access_token, 'RS')

    expect(before).toBe(true)
  })

  it.each<readonly [string, (at: ServerUnderTest, family: Tokens) => Promise<unknown>]>([
    ['the tokens of a revoked family (RFC 7662 §2.2)', (at, family) => revoke(at, family.refresh_token)],
    [
      'the tokens of a deactivated user (RFC 7662 §2.2)',
      (at) => at.storage.users.deactivate(userId('U1'), at.clock.now()),
    ],
    ['the tokens of a removed user (RFC 7662 §2.2)', (at) => at.storage.users.remove(userId('U1'), at.clock.now())],
    [
      'the tokens of a user who was deactivated after they were issued and is active again (RFC 7662 §2.2)',
      async (at) => {
        await at.storage.users.deactivate(userId('U1'), at.clock.now())
        await at.storage.users.reactivate(userId('U1'), at.clock.now())
      },
    ],
    [
      'the tokens of a revoked grant, even after the user has consented again (RFC 7662 §2.2)',
      async (at) => {
        const grant = await at.storage.grants.findUnrevoked(userId('U1'), clientId('A'))
        if (grant !== undefined) await at.storage.grants.revoke(grant.grantId, at.clock.now())
        await tokensFor(at, 'A')
      },
    ],
  ])('%s', async (_, end) => {
    const other = await startFreshServer()
    const family = await tokensFor(other, 'A')
    const before = await Promise.all([introspect(other, family.access_token), introspect(other, family.refresh_token)])
    await end(other, family)

    await expectInactive(other, family.access_token)
    await expectInactive(other, family.refresh_token)

    expect(before.map(({ json }) => json['active'])).toEqual([true, true])
  })

  it('answers inactive for a token of a disabled client when its resource server asks (RFC 7662 §2.2)', async () => {
    const other = await startFreshServer()
    const scope = 'openid api.read'
    const { access_token } = await tokensFor(other, 'A', { scope, resource: 'https://api.test' })
    const before = (await introspect(other, access_token, 'RS')).json['active']
    await changeClient(other.storage, clientId('A'), { disabledAt: other.clock.now() })

    await expectInactive(other, access_token, 'RS')

    expect(before).toBe(true)
  })

  it('answers inactive for an expired access token and for a rotated refresh token (RFC 7662 §2.2)', async () => {
    const other = await startFreshServer()
    const family = await tokensFor(other, 'A')
    await refresh(other, family.refresh_token)
    other.clock.advance(600)

    await expectInactive(other, family.access_token)
    await expectInactive(other, family.refresh_token)
  })

  async function startFreshServer(): Promise<ServerUnderTest> {
    const other = await startServer()
    onTestFinished(() => other.close())
    await authenticateEveryClient(other)
    return other
  }
})

describe('introspection: active answers', () => {
  it("contain the token's claims, no internal names and nothing about the user (RFC 7662 §2.2, §4)", async () => {
    const reply = await introspect(site, tokens.access_token)

    // The response leaves out the claims that resource servers compare with the revocation feed.
    const { payload } = readJws(tokens.access_token)
    const { family, grant, generation, client_ref: client, user_ref: user, ...claims } = payload
    expect([typeof family, typeof grant, generation]).toEqual(['string', 'string', 0])
    expect([client, user]).toEqual([[expect.any(String)], [expect.any(String)]])
    expect(reply.json).toEqual({ active: true, token_type: 'Bearer', ...claims })
    expect(
      Object.keys(reply.json).filter((name) =>
        ['email', 'name', 'family', 'grant', 'generation', 'username'].includes(name),
      ),
    ).toEqual([])
    expect([reply.header('cache-control'), reply.header('vary')]).toEqual(['no-store', 'Accept'])
  })

  it('describe a refresh token to its own client as active, without secrets (RFC 7662 §2.2)', async () => {
    const reply = await introspect(site, tokens.refresh_token)

    expect(Object.keys(reply.json).toSorted()).toEqual(['active', 'client_id', 'exp', 'iat', 'iss', 'scope', 'sub'])
    expect(reply.json).toMatchObject({
      active: true,
      client_id: 'A',
      sub: 'U1',
      scope: 'openid profile offline_access',
    })
    expect(site.dump()).not.toContain(tokens.refresh_token)
  })

  it.each(['refresh_token', 'access_token', 'foo', '__proto__', ' '])(
    'do not depend on the hint %j (RFC 7662 §2.1)',
    async (token_type_hint) => {
      const ofAccess = await introspect(site, tokens.access_token, 'A', { token_type_hint })
      const ofRefresh = await introspect(site, tokens.refresh_token, 'A', { token_type_hint })

      expect(ofAccess.text).toBe((await introspect(site, tokens.access_token)).text)
      expect(ofRefresh.text).toBe((await introspect(site, tokens.refresh_token)).text)
    },
  )

  it('a signed answer is addressed to its caller and is not an access token (RFC 9701 §5)', async () => {
    const accept = 'application/token-introspection+jwt'
    const headers = { authorization: basic('A', site.clients.A.secret), accept }

    const live = await postForm(site, path, encode({ token: tokens.access_token }), headers)
    const unknown = await postForm(site, path, 'token=unknown', headers)

    expect([live.header('content-type'), live.header('cache-control'), live.header('vary')]).toEqual([
      accept,
      'no-store',
      'Accept',
    ])
    expect(readJws(live.text).header['typ']).toBe('token-introspection+jwt')
    expect(readJws(live.text).payload).toMatchObject({
      iss: site.issuer,
      aud: 'A',
      token_introspection: { active: true },
    })
    expect(readJws(unknown.text).payload['token_introspection']).toEqual({ active: false })
    await expectInactive(site, live.text)
  })

  it.each([
    ['application/token-introspection+jwt;q=0, application/json', 'application/json'],
    ['application/token-introspection+jwt; Q=0.000', 'application/json'],
    ['application/json, Application/Token-Introspection+JWT;q=0.1', 'application/json'],
    ['application/json;q=0.1, Application/Token-Introspection+JWT;q=0.2', 'application/token-introspection+jwt'],
  ])('answers Accept: %s with %s (RFC 9110 §12.4.2, RFC 9701 §4)', async (accept, contentType) => {
    const headers = { authorization: basic('A', site.clients.A.secret), accept }

    const reply = await postForm(site, path, encode({ token: tokens.access_token }), headers)

    expect(reply.header('content-type')).toBe(contentType)
  })
})

it('the token of a removed client is inactive (RFC 7662 §2.2)', async () => {
  const { clientSecret = '' } = await registerClient(
    { clientId: 'leaving', clientName: 'Leaving', grantTypes: ['client_credentials'], scopes: ['api.read'] },
    { storage: site.storage },
  )
  const form = encode({ grant_type: 'client_credentials', scope: 'api.read' })
  const { json } = await postForm(site, '/token', form, { authorization: basic('leaving', clientSecret) })

  await site.storage.clients.remove(clientId('leaving'), site.clock.now())

  await expectInactive(site, String(json['access_token']), 'RS')
})
