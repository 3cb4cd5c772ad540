import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { baseRequest, encode, postForm, redeem, signedInAs, verifier } from '../support/flow.ts'
import { expectServing, expectRefusal, expectErrorRedirect, expectErrorPage } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let server: ServerUnderTest
beforeAll(async () => {
  server = await startServer()
  await expectServing(server)
})
afterAll(() => server.close())

const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://app.test' }

describe('an authorization request that the client’s page posts, to which the browser adds no cookies (OIDC Core §3.1.2.1)', () => {
  it.each(['cross-site', 'same-site'])(
    'is redirected to a GET, so that the browser sends its cookies: %s',
    async (site) => {
      const posted = await postForm(server, '/auth', encode({ ...baseRequest, x: 'unknown', ui_locales: 'de en' }), {
        'sec-fetch-site': site,
      })
      const { pathname, search } = posted.location

      expect(posted.status).toBe(303)
      expect(posted.location.origin + pathname).toBe('https://as.test/auth')
      expect(Object.fromEntries(posted.location.searchParams)).toEqual({ ...baseRequest, ui_locales: 'de en' })
      expect(posted.cookies).toEqual([])

      const navigated = await server.send({ path: pathname + search, headers: { cookie: signedInAs(server, 'U1') } })
      expect(navigated.location.origin).toBe('https://app.test')
      expect(
        (await redeem(server, navigated.location.searchParams.get('code') ?? '', { code_verifier: verifier })).status,
      ).toBe(200)
    },
  )

  it('keeps all its resource parameters (RFC 8707 §2)', async () => {
    const body = `${encode({ ...baseRequest, scope: 'openid api.read' })}&resource=https%3A%2F%2Fapi.test&resource=https%3A%2F%2Fapi.test`

    const posted = await postForm(server, '/auth', body, crossSite)

    expect(posted.location.searchParams.getAll('resource')).toEqual(['https://api.test'])
  })

  it('stores nothing, even if a user is signed in', async () => {
    const reply = await expectRefusal(server, {
      send: () => postForm(server, '/auth', encode(baseRequest), { ...crossSite, cookie: signedInAs(server, 'U1') }),
      reason: undefined,
    })

    expect(reply.location.searchParams.has('code')).toBe(false)
    expect(reply.header('referrer-policy')).toBe('no-referrer')
    expect(reply.header('cache-control')).toBe('no-store')
  })

  it('keeps a state with reserved characters unchanged in the redirect (RFC 3986 §2.2)', async () => {
    const state = 'a&code=x#?=%00+ /"\r\nSet-Cookie: x=y 🐴'

    const posted = await postForm(server, '/auth', encode({ ...baseRequest, state }), crossSite)

    expect(posted.location.searchParams.get('state')).toBe(state)
    expect(posted.header('set-cookie')).toBeUndefined()
  })

  it.each([
    ['no client', { client_id: undefined }, 'client_id_missing'],
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.test/cb' }, 'redirect_uri_mismatch'],
  ] as const)('is not redirected with %s (RFC 6749 §4.1.2.1)', async (_, change, reason) => {
    await expectErrorPage(server, {
      send: () => postForm(server, '/auth', encode({ ...baseRequest, ...change }), crossSite),
      reason,
    })
  })

  it('returns an error to the client at once (RFC 6749 §4.1.2.1)', async () => {
    await expectErrorRedirect(
      server,
      { error: 'invalid_request' },
      {
        send: () => postForm(server, '/auth', encode({ ...baseRequest, prompt: 'xyz' }), crossSite),
        reason: 'prompt_invalid',
      },
    )
  })

  it('is redirected only once: the GET is answered', async () => {
    const posted = await postForm(server, '/auth', encode(baseRequest), crossSite)
    const { pathname, search } = posted.location

    const navigated = await server.send({ path: pathname + search, headers: crossSite })

    expect(navigated.location.pathname).toBe('/login')
  })
})
