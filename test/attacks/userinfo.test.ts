import type { RefusalReason } from '@mintmark/core'
import { clientId, userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { encode, obtainCode, postForm } from '../support/flow.ts'
import { readJws, writeJws } from '../support/forge-jwt.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  authenticateEveryClient,
  refresh,
  revoke,
  serviceToken,
  tokensFor,
  tokensOf,
  userinfo,
  type Tokens,
} from '../support/token-calls.ts'

// One file for the userinfo endpoint; most of its lines are the tables of rejected tokens.
let site: ServerUnderTest
let tokens: Tokens
beforeAll(async () => {
  site = await startServer()
  await authenticateEveryClient(site)
  tokens = await tokensFor(site, 'A')
})
afterAll(() => site.close())

const present = (authorization: string): Promise<Reply> => site.send({ path: '/userinfo', headers: { authorization } })

interface Answer {
  readonly status: 400 | 401 | 403
  readonly error: string
  readonly reason: RefusalReason
}

const malformed = { status: 401, error: 'invalid_token', reason: 'bearer_malformed' } as const
const invalid = { status: 401, error: 'invalid_token', reason: 'access_token_invalid' } as const
const inactive = { status: 401, error: 'invalid_token', reason: 'access_token_inactive' } as const

/** Asserts an error in the form of RFC 6750 §3. */
async function expectBearerRefusal(
  at: ServerUnderTest,
  { status, error, reason }: Answer,
  send: () => Promise<Reply>,
): Promise<Reply> {
  const reply = await expectRefusal(at, { send, reason })
  const challenge = reply.header('www-authenticate')

  expect([reply.status, reply.json['error']]).toEqual([status, error])
  expect(reply.header('content-type')).toBe('application/json')
  expect(reply.header('cache-control')).toBe('no-store')
  expect(reply.header('location')).toBeUndefined()
  if (status === 400) expect(challenge).toBeUndefined()
  else
    expect(challenge).toMatch(
      new RegExp(`^Bearer realm="userinfo", error="${error}", error_description="[^"\\\\]+"(, scope="openid")?$`),
    )
  return reply
}

describe('userinfo: rejected requests', () => {
  it('without a token the challenge has no error (RFC 6750 §3.1)', async () => {
    const reply = await expectRefusal(site, { send: () => site.send({ path: '/userinfo' }), reason: 'bearer_missing' })

    expect([reply.status, reply.text, reply.header('www-authenticate')]).toEqual([
      401,
      '{}',
      'Bearer realm="userinfo", DPoP algs="ES256 EdDSA Ed25519 PS256"',
    ])
    expect(reply.header('cache-control')).toBe('no-store')
  })

  it.each<readonly [string, string, Answer]>([
    ...[
      'Bearer',
      'Bearer ',
      'Bearer a b',
      'Bearer a, Bearer b',
      'Bearer  ',
      'Bearer "x"',
      'Bearer\tx',
      'Bearer =',
      'Bearerx',
      'x',
      'Basic QTpC',
      'DPoP',
      'Token x',
      'Bearer é',
    ].map((authorization) => [`Authorization: ${authorization} (RFC 6750 §3.1)`, authorization, malformed] as const),
    ...[
      'Bearer garbage',
      'bearer  x',
      'BEARER x',
      'Bearer a.b.c',
      'Bearer ...',
      'Bearer __proto__',
      `Bearer ${'A'.repeat(43)}`,
      `Bearer ${'x'.repeat(12_000)}`,
    ].map(
      (authorization) =>
        [`Authorization: ${authorization.slice(0, 30)} (RFC 6750 §3.1)`, authorization, invalid] as const,
    ),
  ])('%s', async (_, authorization, answer) => {
    await expectBearerRefusal(site, answer, () => present(authorization))

    expect((await userinfo(site, tokens.access_token)).status).toBe(200)
  })

  it.each<readonly [string, (good: string) => Promise<Reply>]>([
    ['a valid token in the query (OAuth 2.1 §5.1)', (good) => site.send({ path: `/userinfo?access_token=${good}` })],
    [
      'a valid token in the query of a POST (OAuth 2.1 §5.1)',
      (good) => postForm(site, `/userinfo?access_token=${good}`, '', {}),
    ],
    [
      'a valid token in the query and one in the header (RFC 9700 §4.3.2)',
      (good) => site.send({ path: `/userinfo?access_token=${good}`, headers: { authorization: `Bearer ${good}` } }),
    ],
  ])('%s', async (_, send) => {
    await expectBearerRefusal(site, { status: 400, error: 'invalid_request', reason: 'bearer_in_query' }, () =>
      send(tokens.access_token),
    )

    expect(JSON.stringify(site.events)).not.toContain(tokens.access_token)
  })

  it('rejects a token in the header and another in the form (RFC 6750 §2)', async () => {
    const form = encode({ access_token: tokens.access_token })

    await expectBearerRefusal(site, { status: 400, error: 'invalid_request', reason: 'bearer_twice' }, () =>
      postForm(site, '/userinfo', form, { authorization: `Bearer ${tokens.access_token}` }),
    )
  })

  it('rejects two tokens in the form (RFC 6750 §2.2)', async () => {
    const form = encode({ access_token: tokens.access_token })

    await expectBearerRefusal(site, { status: 400, error: 'invalid_request', reason: 'parameter_repeated' }, () =>
      postForm(site, '/userinfo', `${form}&${form}`, {}),
    )
  })

  it.each([
    'application/json',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/json, application/x-www-form-urlencoded',
    '',
  ])('does not read a token from a body of type %j (RFC 6750 §2.2)', async (type) => {
    const form = encode({ access_token: tokens.access_token })
    const reply = await expectRefusal(site, {
      send: () => postForm(site, '/userinfo', form, { 'content-type': type }),
      reason: 'bearer_missing',
    })

    expect(reply.status).toBe(401)
  })

  it('does not read the body of a GET (RFC 6750 §2.2)', async () => {
    const form = encode({ access_token: tokens.access_token })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }

    const reply = await site.send({ path: '/userinfo', headers, body: form })

    expect([reply.status, site.lastReason()]).toEqual([401, 'bearer_missing'])
  })

  it.each<readonly [string, () => Promise<string> | string, Answer]>([
    ['an ID token (RFC 9068 §5)', () => tokens.id_token, invalid],
    ['a refresh token (RFC 6750 §2.1)', () => tokens.refresh_token, invalid],
    ['an authorization code (RFC 6750 §2.1)', () => obtainCode(site), invalid],
    [
      'a token of M, which has no user (OIDC Core §5.3)',
      async () => tokensOf(await serviceToken(site)).access_token,
      { ...invalid, reason: 'access_token_without_user' },
    ],
    [
      'a token for another resource (RFC 9068 §4)',
      async () => tokensOf(await serviceToken(site, { resource: 'https://api.test' })).access_token,
      { ...invalid, reason: 'access_token_without_user' },
    ],
    [
      'a token without openid (RFC 6750 §3.1)',
      async () =>
        tokensOf(await refresh(site, (await tokensFor(site, 'A')).refresh_token, { scope: 'profile' })).access_token,
      { status: 403, error: 'insufficient_scope', reason: 'openid_not_granted' },
    ],
    ['a token that expired a second ago (RFC 9068 §4)', () => signChanged({ exp: site.clock.now() - 1 }), invalid],
    ['a token that expires now (RFC 9068 §4)', () => signChanged({ exp: site.clock.now() }), invalid],
    ['a token that is not valid yet (RFC 7519 §4.1.5)', () => signChanged({ nbf: site.clock.now() + 1 }), invalid],
  ])('%s', async (_, obtain, answer) => {
    const token = await obtain()

    const reply = await expectBearerRefusal(site, answer, () => present(`Bearer ${token}`))

    expect(reply.header('www-authenticate')?.includes('scope="openid"')).toBe(answer.status === 403)
  })

  it('answers GET, HEAD and POST only (OIDC Core §5.3)', async () => {
    for (const method of ['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE']) {
      const reply = await expectRefusal(site, {
        send: () =>
          site.send({ method, path: '/userinfo', headers: { authorization: `Bearer ${tokens.access_token}` } }),
        reason: 'method_not_allowed',
      })

      expect([reply.status, reply.header('allow'), reply.header('cache-control')]).toEqual([
        405,
        'GET, HEAD, POST',
        'no-store',
      ])
    }
  })

  /** Changes some claims of the valid token and signs it with the server's own key. */
  async function signChanged(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const { header, payload } = readJws(tokens.access_token)
    const signer = await site.keys.signer('ES256')
    return writeJws(header, { ...payload, ...claims }, (input) => signer.sign(input))
  }
})

describe('userinfo: inactive tokens', () => {
  it.each<readonly [string, (at: ServerUnderTest, family: Tokens) => Promise<unknown>]>([
    ['an access token that was revoked (RFC 7009 §2.1)', (at, family) => revoke(at, family.access_token)],
    ['an access token of a revoked family (RFC 7009 §2.1)', (at, family) => revoke(at, family.refresh_token)],
    ['a user who was deactivated (RFC 9068 §4)', (at) => at.storage.users.deactivate(userId('U1'), at.clock.now())],
    ['a user who was removed (RFC 9068 §4)', (at) => at.storage.users.remove(userId('U1'), at.clock.now())],
    [
      'a user who was deactivated and is active again (RFC 9068 §4)',
      async (at) => {
        await at.storage.users.deactivate(userId('U1'), at.clock.now())
        await at.storage.users.reactivate(userId('U1'), at.clock.now())
      },
    ],
    [
      'a client that was disabled (RFC 9068 §4)',
      (at) => changeClient(at.storage, clientId('A'), { disabledAt: at.clock.now() }),
    ],
    [
      'a user who disconnected the client (RFC 9068 §4)',
      async (at) => {
        const grant = await at.storage.grants.findUnrevoked(userId('U1'), clientId('A'))
        if (grant !== undefined) await at.storage.grants.revoke(grant.grantId, at.clock.now())
      },
    ],
    [
      'a family whose old refresh token was used again (RFC 9700 §4.14.2)',
      async (at, family) => {
        const next = tokensOf(await refresh(at, family.refresh_token))
        await refresh(at, next.refresh_token)
        await refresh(at, family.refresh_token)
      },
    ],
  ])('%s', async (_, end) => {
    const other = await startServer()
    onTestFinished(() => other.close())
    const family = await tokensFor(other, 'A')
    const before = await userinfo(other, family.access_token)
    await end(other, family)

    await expectBearerRefusal(other, inactive, () => userinfo(other, family.access_token))

    expect(before.status).toBe(200)
  })

  it('a token expires exactly at the end of its lifetime (RFC 9068 §4)', async () => {
    const other = await startServer()
    onTestFinished(() => other.close())
    const family = await tokensFor(other, 'A')
    other.clock.advance(599)
    const before = await userinfo(other, family.access_token)
    other.clock.advance(1)

    await expectBearerRefusal(other, invalid, () => userinfo(other, family.access_token))

    expect(before.status).toBe(200)
  })
})

describe('userinfo: the response', () => {
  it('contains the sub of the ID token and only the claims that the scopes cover (OIDC Core §5.3.2)', async () => {
    const reply = await userinfo(site, tokens.access_token)

    expect(reply.json).toMatchObject({ sub: 'U1', name: 'Ann Lee' })
    expect(reply.json['sub']).toBe(readJws(tokens.id_token).payload['sub'])
    for (const name of ['email', 'phone_number', 'address', 'active', 'generation', 'scope', 'iss']) {
      expect(reply.json).not.toHaveProperty(name)
    }
    expect(reply.header('cache-control')).toBe('no-store')
    expect(reply.header('pragma')).toBe('no-cache')
    expect(reply.header('x-content-type-options')).toBe('nosniff')
  })

  it('a POST with the token in its form or header gets the same response as a GET (RFC 6750 §2.2)', async () => {
    const inForm = await postForm(site, '/userinfo', encode({ access_token: tokens.access_token }), {})
    const inHeader = await postForm(site, '/userinfo', '', { authorization: `Bearer ${tokens.access_token}` })

    const got = await userinfo(site, tokens.access_token)
    expect([inForm.text, inHeader.text]).toEqual([got.text, got.text])
  })

  it('another origin can read nothing, and credentials are never allowed with a wildcard (RFC 9700 §2.6)', async () => {
    const headers = { origin: 'https://evil.test', authorization: `Bearer ${tokens.access_token}` }

    const reply = await site.send({ path: '/userinfo', headers })

    expect(reply.header('access-control-allow-credentials')).toBeUndefined()
    expect(reply.header('access-control-allow-origin')).not.toBe('https://evil.test')
  })

  it('a signed response names its issuer and audience and is not an access token (OIDC Core §5.3.2)', async () => {
    const other = await startServer()
    onTestFinished(() => other.close())
    await changeClient(other.storage, clientId('A'), { userinfoSignedResponseAlg: 'RS256' })
    const family = await tokensFor(other, 'A')

    const reply = await userinfo(other, family.access_token)

    expect([reply.header('content-type'), reply.header('cache-control')]).toEqual(['application/jwt', 'no-store'])
    expect(readJws(reply.text).payload).toMatchObject({ sub: 'U1', iss: other.issuer, aud: 'A' })
    await expectBearerRefusal(other, invalid, () => userinfo(other, reply.text))
  })
})
