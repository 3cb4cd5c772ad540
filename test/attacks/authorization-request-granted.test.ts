import type { ServerResponse } from '@mintmark/core/http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { countFunctionCallsAsync } from '../../packages/scim/test/fixtures/function-calls.ts'
import {
  answerInteraction,
  authorize,
  baseRequest,
  browserCookie,
  encode,
  obtainCode,
  postForm,
  redeem,
  signedInAs,
  type Change,
} from '../support/flow.ts'
import { expectServing, expectRefusal, expectErrorPage } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const codeOf = (reply: Reply): string | null => reply.location.searchParams.get('code')
const countRows = (table: string): number =>
  (JSON.parse(site.dump()) as Record<string, readonly unknown[]>)[table]?.length ?? -1

describe('the response to a valid request (RFC 6749 §4.1.2)', () => {
  it('carries code, state and iss, is kept out of caches and referrers, and stores one code', async () => {
    const codes = countRows('codes')

    const reply = await authorize(site)

    expect(reply.status).toBe(303)
    expect(reply.location.href).toMatch(/^https:\/\/app\.test\/cb\?code=[\w-]{43}&state=s1&iss=https%3A%2F%2Fas\.test$/)
    expect(reply.header('referrer-policy')).toBe('no-referrer')
    expect(reply.header('cache-control')).toBe('no-store')
    expect(reply.text).toBe('')
    expect(countRows('codes') - codes).toBe(1)
    expect(site.dump()).not.toContain(codeOf(reply))
  })

  it.each([
    ['a state of 512 bytes', { state: 's'.repeat(512) }],
    ['a state of 1,024 bytes', { state: 's'.repeat(1024) }],
    ['a state with characters that are special in URLs', { state: 'a&code=x#?=%00+ /"<>\\\'' }],
    ['a state with line breaks', { state: 's\r\nSet-Cookie: x=y\r\n\r\n<script>' }],
    ['a state with non-ASCII characters', { state: 'žluťoučký 🐴' }],
  ])('returns %s unchanged (RFC 6749 §4.1.2)', async (_, change) => {
    const reply = await authorize(site, change)

    expect(codeOf(reply)).not.toBeNull()
    expect(reply.location.searchParams.get('state')).toBe(change.state)
    expect(reply.header('set-cookie')).toBeUndefined()
    expect(reply.header('location')).toMatch(/^[\x21-\x7E]+$/)
  })

  it.each([
    ['no state', { state: undefined }],
    ['an empty state', { state: '' }],
  ])('accepts a request with PKCE and %s, and returns no state (OAuth 2.1 draft-16 §4.1.1)', async (_, change) => {
    const reply = await authorize(site, change)

    expect(codeOf(reply)).not.toBeNull()
    expect(reply.location.searchParams.has('state')).toBe(false)
  })

  it.each([
    ['a nonce of 1,024 bytes', { nonce: 'n'.repeat(1024) }],
    ['an unknown display', { display: 'hologram' }],
    ['unknown parameters', { code: 'x', error: 'y', access_token: 'z', __proto__x: '1', foo: 'bar' }],
    ['an unknown scope next to known ones', { scope: 'openid unknown profile' }],
    ['a repeated scope value', { scope: 'openid openid profile' }],
    ['unknown acr_values', { acr_values: 'gold platinum' }],
    ['a claims request with unknown members', { claims: '{"x":[1],"id_token":{"unheard_of":null},"userinfo":{}}' }],
    [
      'a claims request of depth 1,000',
      { claims: `{"userinfo":{"x":{"value":${'['.repeat(1000)}${']'.repeat(1000)}}}}` },
    ],
    [
      'claims named like Object.prototype members',
      { claims: '{"id_token":{"__proto__":null,"constructor":null},"__proto__":{"id_token":1}}' },
    ],
    ['a max_age that the sign-in satisfies', { max_age: '5' }],
    ['an empty prompt', { prompt: '' }],
  ])('%s has no effect (RFC 6749 §3.1)', async (_, change) => {
    const reply = await authorize(site, change)

    expect(reply.location.searchParams.get('error')).toBeNull()
    expect(codeOf(reply)).not.toBeNull()
    expect((await redeem(site, codeOf(reply) ?? '')).status).toBe(200)
  })

  it('stores a resource once that is named 32 times, in two spellings of its host (RFC 8707 §2)', async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    const resources = Array.from({ length: 32 }, (_, at) => (at % 2 === 0 ? 'https://api.test' : 'https://API.test'))
    const query = [encode({ ...baseRequest, scope: 'openid api.read' })]
      .concat(resources.map((resource) => encode({ resource })))
      .join('&')

    const reply = await own.send({ path: `/auth?${query}`, headers: { cookie: signedInAs(own, 'U1') } })
    const consented = await answerInteraction(own, reply, 'scope=openid&scope=api.read')
    const tokens = await redeem(own, codeOf(consented) ?? '')

    expect(tokens.status).toBe(200)
    const dump = JSON.stringify(JSON.parse(own.dump()))
    const stored = [...dump.matchAll(/"resources":(\[[^\]]+\])/g)].map(([, list]) => list)
    // The code, the grant and the token family have the same list.
    expect([...new Set(stored)]).toEqual(['["https://api.test"]'])
    expect(stored.length).toBeGreaterThanOrEqual(3)
  })

  it('issues no ID token without the scope openid, even if the request has a nonce and asks for claims', async () => {
    const code = await obtainCode(site, { scope: 'api.read', claims: '{"id_token":{"email":{"essential":true}}}' })

    const reply = await redeem(site, code)

    expect(reply.json['scope']).toBe('api.read')
    expect(reply.json['id_token']).toBeUndefined()
  })

  it('caps ui_locales of 10,000 entries without failing', async () => {
    const locales = Array.from({ length: 10_000 }, (_, at) => `x-${at}`).join(' ')

    const { response, calls } = await handleDirectly({ ui_locales: locales })

    expect(response.status).toBe(303)
    expect(response.headers.find(([name]) => name === 'Location')?.[1].length).toBeLessThan(1500)
    expect(calls).toBeLessThan(100_000)
  })

  it('rejects a scope of 1 MiB without splitting it into words', async () => {
    const { response, calls } = await handleDirectly({ scope: 'a '.repeat(524_288) })

    expect(response.headers.find(([name]) => name === 'Location')?.[1]).toContain('error=invalid_scope')
    expect(calls).toBeLessThan(1000)
  })

  /**
   * Passes a request to the server directly, because no HTTP parser would accept it. Returns the response, and the
   * number of function calls that the same request needs when it is sent again.
   */
  async function handleDirectly(change: Change): Promise<{ response: ServerResponse; calls: number }> {
    const request = {
      method: 'GET',
      url: new URL(`https://as.test/auth?${encode({ ...baseRequest, ...change })}`),
      headers: new Map<string, string>(),
      repeatedHeaders: new Set<string>(),
      host: undefined,
      body: new Uint8Array(),
    }
    const response = await site.server.handle(request)
    return { response, calls: await countFunctionCallsAsync(async () => void (await site.server.handle(request))) }
  }
})

describe('the authorization request by POST (OIDC Core §3.1.2.1)', () => {
  const cookie = () => signedInAs(site, 'U1')

  it('has the same result as GET', async () => {
    const reply = await postForm(site, '/auth', encode(baseRequest), { cookie: cookie() })

    expect(reply.status).toBe(303)
    expect(reply.location.origin + reply.location.pathname).toBe('https://app.test/cb')
    expect((await redeem(site, codeOf(reply) ?? '')).status).toBe(200)
  })

  it.each([
    ['the same parameters', baseRequest],
    ['another redirect_uri', { redirect_uri: 'https://evil.test/cb' }],
    ['another client', { client_id: 'P' }],
    ['another state and more scope', { state: 'evil', scope: 'openid api.write' }],
  ])('uses only the parameters in the form and ignores the query: %s', async (_, query: Change) => {
    const reply = await postForm(site, `/auth?${encode(query)}`, encode(baseRequest), { cookie: cookie() })

    expect(codeOf(reply)).not.toBeNull()
    expect(reply.location.searchParams.get('state')).toBe('s1')
    expect(reply.location.origin).toBe('https://app.test')
  })

  it('treats a parameter that is only in the query as missing', async () => {
    await expectErrorPage(site, {
      send: () => postForm(site, `/auth?${encode(baseRequest)}`, 'state=s1', { cookie: cookie() }),
      reason: 'client_id_missing',
    })
  })
})

describe('the form_post response mode', () => {
  it('escapes markup in state, and lets only the page’s own script run', async () => {
    const state = `"><script>alert(1)</script><img src=x onerror='alert(1)'>&amp;`

    const reply = await authorize(site, { response_mode: 'form_post', state })

    expect(reply.status).toBe(200)
    expect(reply.header('location')).toBeUndefined()
    expect(reply.text.match(/<script>/g)).toHaveLength(1)
    expect(reply.text).not.toMatch(/<img|alert\(1\)<|"><s/)
    expect(reply.text).toContain('value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;')
    expect(reply.header('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; frame-ancestors https:\/\/app\.test; base-uri 'none'$/,
    )
    expect(reply.header('cache-control')).toBe('no-store')
    expect(reply.header('referrer-policy')).toBe('no-referrer')
  })
})

describe('requests that are started and abandoned (RFC 6819 §4.4.1.11)', () => {
  it('are limited to 100 for one browser that returned; it then has to wait, other browsers are unaffected, and nothing is stored', async () => {
    const first = await authorize(site, {}, { cookie: '' })
    const cookie = browserCookie(first)
    const before = countRows('interactions')
    // The request that created the browser's cookie is not counted.
    for (let started = 0; started < 100; started += 1) await authorize(site, {}, { cookie })

    const refusal = await expectRefusal(site, {
      send: () => authorize(site, {}, { cookie }),
      reason: 'interactions_throttled',
    })
    for (let more = 0; more < 50; more += 1) await authorize(site, {}, { cookie })

    expect([refusal.status, refusal.header('retry-after'), refusal.header('location')]).toEqual([429, '600', undefined])
    expect(countRows('interactions')).toBe(before)
    expect((await authorize(site, {}, { cookie: '' })).status).toBe(303)
    await expectServing(site)
    site.clock.advance(600)
    expect((await authorize(site, {}, { cookie })).status).toBe(303)
  })
})

it('no page of the server can be framed', async () => {
  const reply = await authorize(site, { client_id: 'zzz' })

  expect(reply.header('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(reply.header('x-frame-options')).toBe('DENY')
})

it('only the client can frame the page that posts a response to it', async () => {
  for (const change of [{}, { prompt: 'xyz' }]) {
    const reply = await authorize(site, { response_mode: 'form_post', ...change })

    expect(reply.header('content-security-policy')).toContain('; frame-ancestors https://app.test; ')
  }
})
