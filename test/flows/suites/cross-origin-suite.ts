import { describe, expect, it } from 'vitest'

import { encode, obtainCode, verifier, type Change } from '../../support/flow.ts'
import type { Reply } from '../../support/send.ts'
import type { ReachableServer } from '../../support/server-under-test.ts'
import { tokensFor } from '../../support/token-calls.ts'
import type { Suite } from './suite.ts'

/** The origin of P's redirect URI. */
const spa = 'https://spa.test'

export const crossOriginSuite: Suite = (reach) => {
  describe.each(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/jwks'])(
    '%s',
    (path) => {
      it('may be read by scripts from any origin, without credentials (Fetch §3.3.3)', async () => {
        const site = reach()
        const first = await site.send({ path, headers: { origin: 'https://anyone.test' } })
        const again = await site.send({
          path,
          headers: { origin: 'https://anyone.test', 'if-none-match': first.header('etag') ?? '' },
        })

        expect([first.status, again.status]).toEqual([200, 304])
        for (const reply of [first, again]) expect(sharing(reply)).toEqual({ origin: '*' })
      })

      it('a preflight allows headers of any name (Fetch §3.3.2)', async () => {
        const reply = await preflight(reach(), path, 'https://anyone.test')

        expect([reply.status, reply.text]).toEqual([204, ''])
        expect(sharing(reply)).toEqual({
          origin: '*',
          methods: 'GET, HEAD',
          headers: 'Authorization, *',
          maxAge: '7200',
        })
      })
    },
  )

  it.each(['/token', '/token/revocation', '/userinfo'])(
    '%s allows requests from any origin, without credentials (Fetch §3.3.2)',
    async (path) => {
      const reply = await preflight(reach(), path, 'https://evil.test')

      const methods = path === '/userinfo' ? 'GET, HEAD, POST' : 'POST'
      expect([reply.status, reply.text]).toEqual([204, ''])
      expect(sharing(reply)).toEqual({ origin: '*', methods, headers: 'Authorization, *', maxAge: '7200' })
    },
  )

  it.each([
    ['RFC 9700 §2.6', 'GET', `/auth?${encode({ client_id: 'P', redirect_uri: `${spa}/cb`, response_type: 'code' })}`],
    ['RFC 9700 §2.6', 'POST', '/auth'],
    ['RFC 9700 §2.6', 'GET', '/login?interaction=x'],
    ['RFC 9700 §2.6', 'POST', '/consent?interaction=x'],
    ['RFC 7662 §4', 'POST', '/token/introspection'],
  ])('%s: %s %s is not shared with other origins and has no preflight', async (_, method, path) => {
    const site = reach()
    const headers = { origin: spa, 'content-type': 'application/x-www-form-urlencoded' }

    const reply = await site.send({ method, path, headers, body: method === 'POST' ? 'client_id=P&token=x' : '' })
    const asked = await preflight(site, path, spa)

    expect([sharing(reply), sharing(asked)]).toEqual([{}, {}])
    expect(asked.status).not.toBe(204)
  })

  it('the page of a public client reads its tokens (RFC 9700 §2.6)', async () => {
    const site = reach()
    const redirect_uri = `${spa}/cb`
    const code = await obtainCode(site, { client_id: 'P', redirect_uri })
    const form = { grant_type: 'authorization_code', client_id: 'P', code, redirect_uri, code_verifier: verifier }

    const reply = await postFrom(site, spa, { path: '/token', form })
    const again = await postFrom(site, spa, { path: '/token', form })

    expect([reply.status, again.status, again.json['error']]).toEqual([200, 400, 'invalid_grant'])
    for (const answer of [reply, again]) expect(sharing(answer)).toEqual(sharedWithSpa)
  })

  it('another origin cannot read the tokens of a public client (RFC 9700 §2.6)', async () => {
    const site = reach()
    const { refresh_token } = await tokensFor(site, 'P')

    const reply = await postFrom(site, 'https://evil.test', {
      path: '/token',
      form: { grant_type: 'refresh_token', client_id: 'P', refresh_token },
    })

    expect(reply.status).toBe(200)
    expect(sharing(reply)).toEqual({ vary: 'Origin' })
  })

  it('the page of a public client revokes its tokens (RFC 7009 §2)', async () => {
    const site = reach()
    const { refresh_token } = await tokensFor(site, 'P')

    const reply = await postFrom(site, spa, {
      path: '/token/revocation',
      form: { client_id: 'P', token: refresh_token },
    })

    expect(reply.status).toBe(200)
    expect(sharing(reply)).toEqual(sharedWithSpa)
  })

  it('the page of a public client reads userinfo, and the error once the token is revoked (OIDC Core §5.3, RFC 6750 §3)', async () => {
    const site = reach()
    const { access_token } = await tokensFor(site, 'P')
    const ask = (origin: string) =>
      site.send({ path: '/userinfo', headers: { origin, authorization: `Bearer ${access_token}` } })

    const reply = await ask(spa)
    await postFrom(site, spa, { path: '/token/revocation', form: { client_id: 'P', token: access_token } })
    const refused = await ask(spa)

    expect([reply.status, refused.status]).toEqual([200, 401])
    expect(refused.header('www-authenticate')).toContain('invalid_token')
    for (const answer of [reply, refused]) expect(sharing(answer)).toEqual(sharedWithSpa)
  })

  it('another origin cannot read userinfo', async () => {
    const site = reach()
    const { access_token } = await tokensFor(site, 'P')

    const reply = await site.send({
      path: '/userinfo',
      headers: { origin: 'https://evil.test', authorization: `Bearer ${access_token}` },
    })

    expect(reply.status).toBe(200)
    expect(sharing(reply)).toEqual({ vary: 'Origin' })
  })
}

const sharedWithSpa = {
  origin: spa,
  exposed: 'WWW-Authenticate, Retry-After, DPoP-Nonce, X-Correlation-Id',
  vary: 'Origin',
}

/** Returns the CORS headers of a response and its `Vary`, by short names. */
function sharing(reply: Reply): Readonly<Record<string, string>> {
  const headers = {
    origin: reply.header('access-control-allow-origin'),
    credentials: reply.header('access-control-allow-credentials'),
    methods: reply.header('access-control-allow-methods'),
    headers: reply.header('access-control-allow-headers'),
    maxAge: reply.header('access-control-max-age'),
    exposed: reply.header('access-control-expose-headers'),
    vary: reply.header('vary'),
  }
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

const preflight = (site: ReachableServer, path: string, origin: string): Promise<Reply> =>
  site.send({
    method: 'OPTIONS',
    path,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, mcp-protocol-version',
    },
  })

const postFrom = (
  site: ReachableServer,
  origin: string,
  call: { readonly path: string; readonly form: Change },
): Promise<Reply> =>
  site.send({
    method: 'POST',
    path: call.path,
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: encode(call.form),
  })
