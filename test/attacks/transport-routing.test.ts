import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { adapters, statusOfUnservedTarget } from '../support/adapters.ts'
import {
  authorize,
  basic,
  baseRequest,
  browserCookie,
  encode,
  obtainCode,
  postForm,
  signedInAs,
  verifier,
} from '../support/flow.ts'
import { expectServing, expectRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

describe.each(adapters)('on $name', (adapter) => {
  let site: ServerUnderTest
  let authorization: string
  beforeAll(async () => {
    site = await startServer({}, adapter)
    authorization = basic('A', site.clients.A.secret)
    await expectServing(site)
  })
  afterAll(() => site.close())

  const goodBody = async (): Promise<string> =>
    encode({
      grant_type: 'authorization_code',
      code: await obtainCode(site),
      redirect_uri: 'https://app.test/cb',
      code_verifier: verifier,
    })

  describe('methods', () => {
    it.each([
      ['RFC 9110 §15.5.6', 'GET', '/token', 'POST'],
      ['RFC 9110 §15.5.6', 'GET', '/token/introspection', 'POST'],
      ['RFC 9110 §15.5.6', 'GET', '/token/revocation', 'POST'],
      ['RFC 9110 §15.5.6', 'HEAD', '/token', 'POST'],
      ['RFC 9110 §15.5.6', 'PUT', '/token', 'POST'],
      ['RFC 9110 §15.5.6', 'PATCH', '/token', 'POST'],
      ['RFC 9110 §15.5.6', 'DELETE', '/token', 'POST'],
      ['RFC 9110 §15.5.6', 'OPTIONS', '/token', 'POST'],
      ['RFC 9110 §15.5.6', 'PROPFIND', '/token', 'POST'],
      ['RFC 9110 §15.5.6', 'TRACE', '/token', 'POST'],
      ['RFC 9110 §15.5.6', 'PUT', '/auth', 'GET, HEAD, POST'],
      ['RFC 9110 §15.5.6', 'DELETE', '/userinfo', 'GET, HEAD, POST'],
      ['RFC 9110 §15.5.6', 'POST', '/jwks', 'GET, HEAD'],
      ['RFC 9110 §15.5.6', 'POST', '/.well-known/openid-configuration', 'GET, HEAD'],
    ])('%s: the response to %s %s has an Allow header', async (_, method, path, allow) => {
      const body = await goodBody()

      const reply = await expectRefusal(site, {
        send: () =>
          site.send({
            method,
            path,
            headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
            body,
          }),
        reason: 'method_not_allowed',
      })

      expect(reply.status).toBe(405)
      expect(reply.header('allow')).toBe(allow)
      expect(reply.header('cache-control')).toBe('no-store')
    })

    it.each(['x-http-method-override', 'x-http-method', 'x-method-override'])('%s has no effect', async (name) => {
      const reply = await postForm(site, '/token', await goodBody(), { authorization, [name]: 'DELETE' })

      expect(reply.status).toBe(200)
    })

    it('a method in the query or the body has no effect', async () => {
      const reply = await postForm(site, '/token?_method=DELETE', `${await goodBody()}&_method=DELETE`, {
        authorization,
      })

      expect(reply.status).toBe(200)
    })
  })

  describe('paths', () => {
    it.each([
      ['RFC 3986 §6.2.1', '/token/'],
      ['RFC 3986 §6.2.1', '//token'],
      ['RFC 3986 §6.2.1', '/TOKEN'],
      ['RFC 3986 §6.2.1', '/%74oken'],
      ['RFC 3986 §6.2.1', '/token%2F'],
      ['RFC 3986 §6.2.1', '/token;x=y'],
      ['RFC 3986 §6.2.1', '/token%00'],
      ['RFC 3986 §6.2.1', '/token.json'],
      ['RFC 3986 §6.2.1', '/\\token'],
    ])('%s: %s is not the token endpoint', async (_, path) => {
      const body = await goodBody()

      const reply = await expectRefusal(site, {
        send: () => postForm(site, path, body, { authorization }),
        reason: undefined,
      })

      expect(reply.status).toBe(statusOfUnservedTarget(adapter, path))
    })

    it.each(['/auth/', '/AUTH', '//auth', '/%61uth', '/auth;x'])(
      '%s is not the authorization endpoint (RFC 3986 §6.2.1)',
      async (path) => {
        const reply = await expectRefusal(site, {
          send: () =>
            site.send({ path: `${path}?${encode(baseRequest)}`, headers: { cookie: signedInAs(site, 'U1') } }),
          reason: undefined,
        })

        expect(reply.status).toBe(404)
        expect(reply.header('location')).toBeUndefined()
      },
    )
  })

  describe('spoofed origins of a request', () => {
    const spoofs: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ['Host', { host: 'evil.test' }],
      ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.test' }],
      ['Forwarded', { forwarded: 'host=evil.test;proto=http' }],
      [
        'X-Original-URL and similar headers',
        { 'x-original-url': '/admin', 'x-rewrite-url': '/admin', 'x-forwarded-prefix': '/evil' },
      ],
      ['X-Forwarded-Proto', { 'x-forwarded-proto': 'http', 'x-forwarded-ssl': 'off', 'x-forwarded-port': '80' }],
    ]

    it.each(spoofs)('%s does not change the metadata', async (_, headers) => {
      const honest = await site.send({ path: '/.well-known/openid-configuration' })
      const spoofed = await site.send({ path: '/.well-known/openid-configuration', headers })

      expect(spoofed.text).toBe(honest.text)
      expect(spoofed.json['issuer']).toBe('https://as.test')
      expect(spoofed.text).not.toMatch(/evil|http:/)
    })

    it.each(spoofs)('%s changes neither the sign-in URL nor the cookie', async (_, headers) => {
      const reply = await authorize(site, {}, { cookie: '', ...headers })

      expect(reply.location.href).toMatch(/^https:\/\/as\.test\/login\?interaction=[\w.-]+$/)
      expect(reply.cookies).toHaveLength(1)
      expect(reply.cookies[0]).toMatch(
        /^__Host-mintmark-browser=[\w-]{86}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000$/,
      )
    })

    it.each(spoofs)('%s changes neither iss nor the redirect of a cross-site POST', async (_, headers) => {
      const body = encode(baseRequest)

      const done = await authorize(site, {}, headers)
      const posted = await postForm(site, '/auth', body, { 'sec-fetch-site': 'cross-site', ...headers })

      expect(done.location.searchParams.get('iss')).toBe('https://as.test')
      expect(posted.location.href).toMatch(/^https:\/\/as\.test\/auth\?/)
    })

    it.each(spoofs.slice(0, 3))('%s does not make a cross-site form same-origin', async (_, headers) => {
      const started = await authorize(site, {}, { cookie: '' })
      const { pathname, search } = started.location

      const reply = await expectRefusal(site, {
        send: () =>
          postForm(site, pathname + search, 'subject=U1&auth_time=1790000001&scope=openid', {
            cookie: browserCookie(started),
            origin: 'https://evil.test',
            ...headers,
          }),
        reason: 'cross_site_post',
      })

      expect(reply.status).toBe(403)
    })
  })

  describe('cross-origin scripts', () => {
    it.each(['OPTIONS', 'GET', 'POST'])('%s /auth has no CORS headers', async (method) => {
      const reply = await site.send({
        method,
        path: `/auth?${encode(baseRequest)}`,
        headers: {
          origin: 'https://spa.test',
          'access-control-request-method': 'GET',
          cookie: signedInAs(site, 'U1'),
        },
      })

      const names = ['origin', 'methods', 'headers', 'credentials', 'expose-headers', 'max-age']
      expect(names.map((name) => reply.header(`access-control-allow-${name}`))).toEqual(names.map(() => undefined))
    })

    it('rejects a header block of more than 16 KiB', async () => {
      const reply = await expectRefusal(site, {
        send: () => site.send({ path: `/auth?${encode({ ...baseRequest, x: 'a'.repeat(16_384) })}` }),
        reason: undefined,
      })

      expect(reply.status).toBe(431)
    })
  })

  it('a normal request still succeeds after all these attacks', () => expectServing(site))
})
