import { registerClient } from '@mintmark/core'
import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { basic, encode } from '../support/flow.ts'
import { startProbedServer } from '../support/probed-server.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { assertionOf } from '../support/client-assertion.ts'
import { tokensFor } from '../support/token-calls.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

const form = 'application/x-www-form-urlencoded'

/** Posts a form to the token endpoint as a page of the given origin does. */
const post = (
  at: ServerUnderTest,
  origin: string | readonly string[],
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  at.send({ method: 'POST', path: '/token', headers: { origin, 'content-type': form, ...headers }, body })

const allowedOrigin = (reply: Reply): string | undefined => reply.header('access-control-allow-origin')

describe('origins that are refused', () => {
  it.each([
    ['another site', 'https://evil.test'],
    ['an opaque origin', 'null'],
    ['a sibling host', 'https://evil.spa.test'],
    ['a site with a longer host name', 'https://spa.test.evil.test'],
    ['a page on another scheme', 'http://spa.test'],
    ['a page on another port', 'https://spa.test:8443'],
    ['an origin in capitals', 'https://SPA.test'],
    ['an origin with a slash', 'https://spa.test/'],
    ['an origin that is a redirect URI', 'https://spa.test/cb'],
    ['the origin *', '*'],
    ['an empty origin', ''],
    ['a list of origins', 'https://spa.test, https://evil.test'],
  ])('does not let %s read the tokens of a public client: %s (RFC 9700 §2.6)', async (_, origin) => {
    const { refresh_token } = await tokensFor(site, 'P')

    const reply = await post(site, origin, encode({ grant_type: 'refresh_token', client_id: 'P', refresh_token }))

    expect(reply.status).toBe(200)
    expect([allowedOrigin(reply), reply.header('access-control-expose-headers'), reply.header('vary')]).toEqual([
      undefined,
      undefined,
      'Origin',
    ])
  })

  it('two Origin headers are treated as none (RFC 6454 §7.3)', async () => {
    const reply = await expectRefusal(site, {
      send: () =>
        post(site, ['https://spa.test', 'https://spa.test'], 'grant_type=refresh_token&client_id=P&refresh_token=x'),
      reason: 'refresh_token_unknown',
    })

    expect([reply.status, allowedOrigin(reply)]).toEqual([400, undefined])
  })

  it('a confidential client has no allowed origins (RFC 6749 §2.1)', async () => {
    const inHeader = await expectRefusal(site, {
      send: () => post(site, 'https://app.test', 'grant_type=x', { authorization: basic('A', 'wrong') }),
      reason: 'client_credentials_wrong',
    })
    const inForm = await expectRefusal(site, {
      send: () => post(site, 'https://x.test', encode({ grant_type: 'x', client_id: 'X', client_secret: 'wrong' })),
      reason: 'client_credentials_wrong',
    })

    expect([inHeader.status, inForm.status]).toEqual([401, 401])
    expect([allowedOrigin(inHeader), allowedOrigin(inForm)]).toEqual([undefined, undefined])
  })

  it('an unknown client and a disabled client have no allowed origins (RFC 6749 §5.2)', async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    await changeClient(own.storage, clientId('P'), { disabledAt: epochSeconds(1) })

    for (const [name, reason] of [
      ['P', 'client_disabled'],
      ['nobody', 'client_unknown'],
      ['\0', 'client_unknown'],
    ] as const) {
      const reply = await expectRefusal(own, {
        send: () => post(own, 'https://spa.test', encode({ grant_type: 'x', client_id: name })),
        reason,
      })

      expect([reply.status, allowedOrigin(reply)]).toEqual([401, undefined])
    }
  })

  it("a native app's private-use scheme is not an origin (RFC 8252 §7.1)", async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    await registerClient(
      { clientId: 'app', clientName: 'App', tokenEndpointAuthMethod: 'none', redirectUris: ['com.example.app:/cb'] },
      { storage: own.storage },
    )

    const reply = await post(own, 'null', 'grant_type=x&client_id=app')

    expect(allowedOrigin(reply)).toBeUndefined()
  })
})

describe('origins that are allowed by a client or a token', () => {
  it('a page can read why it was refused, even if its request is malformed (RFC 9700 §2.6)', async () => {
    const reply = await expectRefusal(site, {
      send: () => post(site, 'https://spa.test', 'grant_type=a&grant_type=b&client_id=P'),
      reason: 'parameter_repeated',
    })

    expect([reply.status, allowedOrigin(reply)]).toEqual([400, 'https://spa.test'])
  })

  it('allows the origin of a page that uses private_key_jwt, by the client_id in its form (RFC 7523 §2.2)', async () => {
    const credentials = await assertionOf(site)

    const reply = await post(site, 'https://b.test', encode({ ...credentials, client_id: 'B', grant_type: 'x' }))

    expect([reply.json['error'], allowedOrigin(reply)]).toEqual(['unsupported_grant_type', 'https://b.test'])
  })

  it('allows a development page on loopback at any port, as the redirect URI (RFC 8252 §7.3)', async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    await registerClient(
      {
        clientId: 'dev',
        clientName: 'Dev',
        tokenEndpointAuthMethod: 'none',
        redirectUris: ['http://localhost:5173/cb', 'https://dev.test/cb'],
      },
      { storage: own.storage },
    )
    const origins = [
      'http://localhost:5173',
      'https://dev.test',
      'http://localhost:5174',
      'http://localhost',
      'http://127.0.0.1:5173',
      'https://localhost:5173',
      'http://localhost.evil.test:5173',
      'https://dev.test:8443',
    ]

    const replies = await Promise.all(origins.map((origin) => post(own, origin, 'grant_type=x&client_id=dev')))

    expect(replies.map(allowedOrigin)).toEqual([...origins.slice(0, 4), undefined, undefined, undefined, undefined])
    expect(own.events.flatMap((event) => (event.type === 'origin.refused' ? [event.origin] : []))).toEqual(
      origins.slice(4),
    )
  })

  it('a page can read that its token has expired (RFC 6750 §3.1)', async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    const { access_token } = await tokensFor(own, 'P')
    own.clock.advance(601)

    const reply = await expectRefusal(own, {
      send: () =>
        own.send({
          path: '/userinfo',
          headers: { origin: 'https://spa.test', authorization: `Bearer ${access_token}` },
        }),
      reason: 'access_token_invalid',
    })

    expect([reply.status, allowedOrigin(reply), reply.header('access-control-expose-headers')]).toEqual([
      401,
      'https://spa.test',
      'WWW-Authenticate, Retry-After, DPoP-Nonce, X-Correlation-Id',
    ])
  })

  it('allows a page that sends an opaque token (RFC 6750 §2.1)', async () => {
    const own = await startServer({
      resources: { 'https://api.test': { scopes: ['api.read'], accessTokenFormat: 'opaque' } },
    })
    onTestFinished(() => own.close())
    const { access_token } = await tokensFor(own, 'P', { scope: 'openid api.read' })

    const reply = await own.send({
      path: '/userinfo',
      headers: { origin: 'https://spa.test', authorization: `Bearer ${access_token}` },
    })

    expect(access_token).not.toContain('.')
    expect([reply.status, allowedOrigin(reply)]).toEqual([200, 'https://spa.test'])
  })

  it('a page may send its token in a form (RFC 6750 §2.2)', async () => {
    const { access_token } = await tokensFor(site, 'P')

    const reply = await site.send({
      method: 'POST',
      path: '/userinfo',
      headers: { origin: 'https://spa.test', 'content-type': form },
      body: encode({ access_token }),
    })

    expect([reply.status, allowedOrigin(reply)]).toEqual([200, 'https://spa.test'])
  })

  it.each([
    ['no token', {}, 'bearer_missing'],
    ['a JWT that this server did not issue', { authorization: 'Bearer a.b.c' }, 'access_token_invalid'],
    [
      'an opaque token that this server did not issue',
      { authorization: `Bearer ${'A'.repeat(43)}` },
      'access_token_invalid',
    ],
    ['a malformed token', { authorization: 'Bearer ,' }, 'bearer_malformed'],
  ] as const)('allows no origin at userinfo with %s (RFC 6750 §3.1)', async (_, headers, reason) => {
    const reply = await expectRefusal(site, {
      send: () => site.send({ path: '/userinfo', headers: { origin: 'https://spa.test', ...headers } }),
      reason,
    })

    expect([reply.status, allowedOrigin(reply), reply.header('vary')]).toEqual([401, undefined, 'Origin'])
  })
})

it('a token that names a client but has an invalid signature allows no origin (RFC 7515 §5.2)', async () => {
  const { access_token } = await tokensFor(site, 'P')
  const forged = access_token.replace(/[^.]+$/, 'A'.repeat(86))

  const reply = await expectRefusal(site, {
    send: () =>
      site.send({ path: '/userinfo', headers: { origin: 'https://spa.test', authorization: `Bearer ${forged}` } }),
    reason: 'access_token_invalid',
  })

  expect([reply.status, allowedOrigin(reply)]).toEqual([401, undefined])
})

describe('CORS look-ups', () => {
  it('a request without an Origin, or from the server’s own pages, reads no client for CORS', async () => {
    const probed = await startProbedServer()
    onTestFinished(() => probed.close())
    const readsOf = async (headers: Readonly<Record<string, string>>): Promise<number> => {
      probed.probe.reset()
      await probed.send({
        method: 'POST',
        path: '/token',
        headers: { 'content-type': form, ...headers },
        body: 'grant_type=x&client_id=P',
      })
      return probed.probe.calls.filter((call) => call === 'clients.find').length
    }

    expect([
      await readsOf({}),
      await readsOf({ origin: probed.issuer }),
      await readsOf({ origin: 'https://spa.test' }),
    ]).toEqual([1, 1, 2])
  })

  it('a storage outage is answered with 503 and allows no origin', async () => {
    const probed = await startProbedServer()
    onTestFinished(() => probed.close())
    probed.probe.failWhen(() => true)

    const reply = await post(probed, 'https://spa.test', 'grant_type=x&client_id=P')

    expect([reply.status, reply.json['error'], allowedOrigin(reply), reply.header('vary')]).toEqual([
      503,
      'temporarily_unavailable',
      undefined,
      'Origin',
    ])
  })

  it('a preflight reads nothing from storage, so it reveals no client', async () => {
    const probed = await startProbedServer()
    onTestFinished(() => probed.close())
    probed.probe.reset()

    const reply = await probed.send({
      method: 'OPTIONS',
      path: '/token?client_id=P',
      headers: { origin: 'https://spa.test', 'access-control-request-method': 'POST' },
    })

    expect([reply.status, probed.probe.calls]).toEqual([204, []])
  })
})

it.each([
  ['no Origin', { 'access-control-request-method': 'POST' }],
  ['no Access-Control-Request-Method', { origin: 'https://spa.test' }],
])('an OPTIONS request with %s is not a preflight (Fetch §3.3.2)', async (_, headers) => {
  const reply = await expectRefusal(site, {
    send: () => site.send({ method: 'OPTIONS', path: '/token', headers }),
    reason: 'method_not_allowed',
  })

  expect([reply.status, reply.header('allow'), allowedOrigin(reply)]).toEqual([405, 'POST', undefined])
})
