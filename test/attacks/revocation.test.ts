import type { RefusalReason } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode, obtainCode, postForm, redeem, type Change } from '../support/flow.ts'
import { readJws, signEs256, signNothing, writeJws } from '../support/forge-jwt.ts'
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
  storedFamilies,
  tokensFor,
  tokensOf,
  userinfo,
  type ClientName,
  type Tokens,
} from '../support/token-calls.ts'

// One file for the revocation endpoint: every test presents a token of A and then checks which tokens are active.
const path = '/token/revocation'

let site: ServerUnderTest
let tokens: Tokens
beforeAll(async () => {
  site = await startServer()
  await authenticateEveryClient(site)
})
beforeEach(async () => {
  tokens = await tokensFor(site, 'A')
})
afterAll(() => site.close())

const isActive = async (token: string): Promise<unknown> => (await introspect(site, token)).json['active']

const expectActive = async (): Promise<void> => {
  expect([await isActive(tokens.access_token), await isActive(tokens.refresh_token)]).toEqual([true, true])
  expect((await refresh(site, tokens.refresh_token)).status).toBe(200)
}

const expectInactive = async (): Promise<void> => {
  expect([await isActive(tokens.access_token), await isActive(tokens.refresh_token)]).toEqual([false, false])
  expect((await userinfo(site, tokens.access_token)).status).toBe(401)
  expect((await refresh(site, tokens.refresh_token)).status).toBe(400)
}

/** Asserts the endpoint's successful response, which does not tell whether it found a token (RFC 7009 §2.2). */
function expectDone(reply: Reply): void {
  expect([reply.status, reply.text]).toEqual([200, ''])
  expect([reply.header('cache-control'), reply.header('pragma')]).toEqual(['no-store', 'no-cache'])
}

describe('revocation: a rejected request leaves the token active', () => {
  type Row = readonly [row: string, send: () => Promise<Reply>, status: number, error: string, reason: RefusalReason]
  const form = (change: Change = {}): string => encode({ token: tokens.refresh_token, ...change })

  it.each<Row>([
    [
      "A's token without authentication (RFC 7009 §2.1)",
      () => postForm(site, path, form(), {}),
      401,
      'invalid_client',
      'client_authentication_missing',
    ],
    [
      "A's token with a wrong secret (RFC 7009 §2.1)",
      () => postForm(site, path, form(), { authorization: basic('A', 'x') }),
      401,
      'invalid_client',
      'client_credentials_wrong',
    ],
    [
      'client P, which sends the client_id of A (RFC 7009 §5)',
      () => postForm(site, path, form({ client_id: 'A' }), {}),
      401,
      'invalid_client',
      'client_authentication_method',
    ],
    [
      'a request without a token (RFC 7009 §2.1)',
      () => postAs(site, 'A', { path, form: {} }),
      400,
      'invalid_request',
      'token_missing',
    ],
    ['an empty token (RFC 7009 §2.1)', () => revoke(site, ''), 400, 'invalid_request', 'token_missing'],
    [
      'a token in the query (RFC 7009 §2.1)',
      () => postAs(site, 'A', { path: `${path}?${form()}`, form: {} }),
      400,
      'invalid_request',
      'token_missing',
    ],
    [
      'two tokens (RFC 6749 §3.2)',
      () => postForm(site, path, `${form()}&${form()}`, { authorization: basic('A', site.clients.A.secret) }),
      400,
      'invalid_request',
      'parameter_repeated',
    ],
    [
      'a JSON body (RFC 7009 §2.1)',
      () =>
        postForm(site, path, '{}', {
          authorization: basic('A', site.clients.A.secret),
          'content-type': 'application/json',
        }),
      400,
      'invalid_request',
      'body_not_a_form',
    ],
  ])('%s', async (_, send, status, error, reason) => {
    await expectJsonRefusal(site, { status, error }, { send, reason, secrets: [tokens.refresh_token] })

    await expectActive()
  })

  it.each(['GET', 'HEAD', 'DELETE'])('rejects %s, and offers no JSONP (RFC 7009 §2.3)', async (method) => {
    const reply = await expectRefusal(site, {
      send: () => site.send({ method, path: `${path}?token=${tokens.refresh_token}&callback=x` }),
      reason: 'method_not_allowed',
    })

    expect([reply.status, reply.header('allow'), reply.header('cache-control')]).toEqual([405, 'POST', 'no-store'])
    expect(reply.header('content-type')).not.toContain('javascript')
    await expectActive()
  })
})

describe('revocation: requests that succeed without effect', () => {
  it.each<readonly [string, ClientName, keyof Tokens]>([
    ["A's refresh token, by B (RFC 7009 §2.1)", 'B', 'refresh_token'],
    ["A's access token, by B (RFC 7009 §2.1)", 'B', 'access_token'],
    ["A's refresh token, by the public client P", 'P', 'refresh_token'],
    ["A's access token, by the public client N (RFC 7009 §2.1)", 'N', 'access_token'],
    ["A's access token, by the resource server (RFC 7009 §2.1)", 'RS', 'access_token'],
    ["A's refresh token, by M (RFC 7009 §2.1)", 'M', 'refresh_token'],
  ])('%s', async (_, client, kind) => {
    const families = storedFamilies(site)

    expectDone(await revoke(site, tokens[kind], client))

    expect(storedFamilies(site)).toEqual(families)
    await expectActive()
  })

  it.each<readonly [string, () => Promise<string> | string]>([
    ['an unknown token (RFC 7009 §2.2)', () => 'unknown'],
    ['a damaged refresh token (RFC 7009 §2.2)', () => `${tokens.refresh_token.slice(0, -1)}_`],
    ['an ID token (RFC 7009 §2.2)', () => tokens.id_token],
    ['an authorization code, which stays valid', () => obtainCode(site)],
    ['a forged JWT that names the token', () => forgedJwt({ client_id: 'A' })],
    ['a forged JWT that names the token and B', () => forgedJwt({ client_id: 'B' })],
    [
      'an unsigned JWT that names the token',
      () => writeJws({ alg: 'none' }, readJws(tokens.access_token).payload, signNothing()),
    ],
  ])('%s', async (_, obtain) => {
    const token = await obtain()
    const before = site.dump()

    expectDone(await revoke(site, token))

    expect(site.dump()).toBe(before)
    await expectActive()
  })

  it('a code sent to the revocation endpoint can still be redeemed', async () => {
    const code = await obtainCode(site)

    expectDone(await revoke(site, code))

    expect((await redeem(site, code)).status).toBe(200)
  })

  it('revoking a second time gives the same response (RFC 7009 §2.2)', async () => {
    const first = await revoke(site, tokens.refresh_token)
    const before = site.dump()
    const second = await revoke(site, tokens.refresh_token)

    expectDone(first)
    expectDone(second)
    expect(site.dump()).toBe(before)
  })

  async function forgedJwt(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const { header, payload } = readJws(tokens.access_token)
    const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
    return writeJws(header, { ...payload, ...claims }, signEs256(pair.privateKey))
  }
})

describe('revocation: revoked tokens', () => {
  it('revoking a refresh token makes its access tokens inactive at once (RFC 7009 §2.1)', async () => {
    expectDone(await revoke(site, tokens.refresh_token))

    await expectInactive()
  })

  it.each(['access_token', 'refresh_token', 'foo', '__proto__'])(
    'the hint %s makes no difference (RFC 7009 §2.1)',
    async (token_type_hint) => {
      expectDone(await revoke(site, tokens.refresh_token, 'A', { token_type_hint }))

      await expectInactive()
    },
  )

  it('revoking an access token leaves its family active (RFC 7009 §2.1)', async () => {
    const before = JSON.parse(site.dump()) as Record<string, unknown>

    expectDone(await revoke(site, tokens.access_token))

    const after = JSON.parse(site.dump()) as Record<string, unknown>
    expect({ ...after, revocations: before['revocations'] }).toEqual(before)
    expect(await isActive(tokens.access_token)).toBe(false)
    expect((await refresh(site, tokens.refresh_token)).status).toBe(200)
  })

  it('revokes an access token, whatever the hint is (RFC 7009 §2.1)', async () => {
    expectDone(await revoke(site, tokens.access_token, 'A', { token_type_hint: 'refresh_token' }))

    expect(await isActive(tokens.access_token)).toBe(false)
  })

  it('revoking an old refresh token revokes the family too (RFC 7009 §2.1)', async () => {
    const next = tokensOf(await refresh(site, tokens.refresh_token))

    expectDone(await revoke(site, tokens.refresh_token))

    expect([await isActive(next.access_token), await isActive(next.refresh_token)]).toEqual([false, false])
    await expectInactive()
  })

  it('another family of the same user and client stays active (RFC 7009 §2.1)', async () => {
    const other = await tokensFor(site, 'A')

    expectDone(await revoke(site, tokens.refresh_token))

    expect(await isActive(other.access_token)).toBe(true)
  })

  it.each<{ client: 'B' | 'N' | 'P' | 'X' }>([{ client: 'B' }, { client: 'N' }, { client: 'P' }, { client: 'X' }])(
    'client $client revokes its own refresh token (RFC 7009 §2.1)',
    async ({ client }) => {
      const own = await tokensFor(site, client)

      expectDone(await revoke(site, own.refresh_token, client))

      expect((await refresh(site, own.refresh_token, {}, client)).status).toBe(400)
      expect((await userinfo(site, own.access_token)).status).toBe(401)
    },
  )

  it('a service revokes its own access token, JWT or opaque, and another client cannot (RFC 7009 §2.1)', async () => {
    const opaque = await startServer({
      resources: { 'https://api.test': { scopes: ['api.read', 'api.write'], accessTokenFormat: 'opaque' } },
    })
    onTestFinished(() => opaque.close())
    const resource = 'https://api.test'

    for (const at of [site, opaque]) {
      const { access_token } = tokensOf(await serviceToken(at, { resource }))
      const byAnother = await revoke(at, access_token, 'A')
      const before = (await introspect(at, access_token, 'RS')).json['active']
      expectDone(byAnother)
      expectDone(await revoke(at, access_token, 'M'))

      expect([before, (await introspect(at, access_token, 'RS')).text]).toEqual([true, '{"active":false}'])
    }
  })

  it('a disabled client cannot revoke anything; its tokens are already inactive (RFC 7009 §2.1)', async () => {
    const other = await startServer()
    onTestFinished(() => other.close())
    const own = await tokensFor(other, 'A')
    await changeClient(other.storage, clientId('A'), { disabledAt: other.clock.now() })

    await expectJsonRefusal(
      other,
      { status: 401, error: 'invalid_client' },
      {
        send: () => revoke(other, own.refresh_token),
        reason: 'client_disabled',
      },
    )

    expect((await userinfo(other, own.access_token)).status).toBe(401)
  })
})
