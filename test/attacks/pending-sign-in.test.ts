import { createMemoryRateLimiter, createStoredKeys, type RateLimiter, type SignedIn } from '@mintmark/core'
import { userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { answerInteraction, authorize, browserCookie, browserCookies, redeem, signedInAs } from '../support/flow.ts'
import { plainRequest } from '../support/plain-request.ts'
import { expectRefusal, expectErrorRedirect, expectErrorPage } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// One file for everything that may happen between an authorization request and its response, with the same helpers.
let site: ServerUnderTest
beforeEach(async () => {
  site = await startServer()
})
afterEach(() => site.close())

const consent = 'scope=openid&scope=profile'
const codeOf = (reply: Reply): string | null => reply.location.searchParams.get('code')
const codes = (): number => (JSON.parse(site.dump()) as { codes: readonly unknown[] }).codes.length

/** Sends the form of an interaction's page with exactly these cookies and headers. */
const post = (started: Reply, cookie: string, form: string, headers: Record<string, string> = {}): Promise<Reply> =>
  site.send({
    method: 'POST',
    path: started.location.pathname + started.location.search,
    headers: { cookie, origin: site.issuer, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: form,
  })

describe('a sign-out ends the sign-ins that are pending in its session (OIDC Core §3.1.2.3)', () => {
  it.each([
    ['nobody is signed in', () => ''],
    ['another user has signed in', () => signedInAs(site, 'U9')],
  ])('the consent page asks for a new sign-in when %s', async (_, sessionOf) => {
    const started = await authorize(site, { prompt: 'consent' })

    const reply = await post(started, `${browserCookie(started)}; ${sessionOf()}`, consent)

    expect(reply.location.pathname).toBe('/login')
    expect(codes()).toBe(0)
    expect(codeOf(await answerInteraction(site, started, consent))).not.toBeNull()
  })

  describe('at a host whose sessions have no name', () => {
    let session: SignedIn | undefined
    let own: ServerUnderTest
    beforeEach(async () => {
      session = undefined
      own = await startServer({ signedIn: () => Promise.resolve(session) })
    })
    afterEach(() => own.close())

    const signIn = (): SignedIn => ({ subject: 'U1', authTime: own.clock.now() })
    const pageOf = ({ location, cookies }: Reply): Promise<Reply> =>
      own.send({ path: location.pathname + location.search, headers: { cookie: cookies } })

    it.each([
      ['before the page completes the sign-in', true],
      ['in the response that completes it', false],
    ])('the consent page asks for a new sign-in, if the session was started %s', async (_, isEarlier) => {
      const started = await authorize(own)
      if (isEarlier) session = signIn()
      const next = await answerInteraction(own, started, `subject=U1&auth_time=${own.clock.now()}`)
      expect(next.location.pathname).toBe('/consent')
      session = signIn()
      expect((await pageOf(started)).json).toMatchObject({ kind: 'consent', subject: 'U1' })

      session = undefined

      expect((await pageOf(started)).json).toMatchObject({ kind: 'login' })
      expect((await answerInteraction(own, started, consent)).location.pathname).toBe('/login')
      expect((JSON.parse(own.dump()) as { codes: readonly unknown[] }).codes).toEqual([])
      session = signIn()
      expect(codeOf(await answerInteraction(own, started, consent))).not.toBeNull()
    })

    it('the consent page asks for a new sign-in, if the session is older than the request', async () => {
      session = signIn()
      const started = await authorize(own, { prompt: 'select_account' })
      const next = await answerInteraction(own, started, `subject=U1&auth_time=${own.clock.now()}`)
      expect(next.location.pathname).toBe('/consent')

      session = undefined

      expect((await answerInteraction(own, started, consent)).location.pathname).toBe('/login')
    })

    it.each([
      ['without a name', undefined],
      ['with a name', 's1'],
    ])('a session %s is remembered once, and later requests store nothing', async (_, sessionId) => {
      const started = await authorize(own)
      const path = started.location.pathname + started.location.search
      const headers = { cookie: browserCookie(started), origin: own.issuer }
      const pending = await own.server.interaction(plainRequest(own.issuer, { path, headers }))
      await pending.complete({ ...signIn(), sessionId })
      session = { ...signIn(), sessionId }
      if (sessionId === undefined) await pageOf(started)
      const before = own.dump()

      expect((await pageOf(started)).json).toMatchObject({ kind: 'consent', subject: 'U1' })

      expect(own.dump()).toBe(before)
    })

    it('the user can consent at a host without sessions, which identifies nobody after the sign-in', async () => {
      const started = await authorize(own)
      await answerInteraction(own, started, `subject=U1&auth_time=${own.clock.now()}`)
      expect((await pageOf(started)).json).toMatchObject({ kind: 'consent', subject: 'U1' })

      expect(codeOf(await answerInteraction(own, started, consent))).not.toBeNull()
    })
  })

  it('ignores a session that is dated in the future', async () => {
    const ahead = signedInAs(site, 'U1', -3600)

    const started = await authorize(site, {}, { cookie: ahead })
    const silent = await authorize(site, { prompt: 'none' }, { cookie: ahead })

    expect(started.location.pathname).toBe('/login')
    expect(silent.location.searchParams.get('error')).toBe('login_required')
  })

  it.each([
    ['is the session of the request', 's1'],
    ['has no name', undefined],
  ])('the consent page asks for a new sign-in when a session that is dated in the future %s', async (_, renewed) => {
    let session: SignedIn | undefined
    const own = await startServer({ signedIn: () => Promise.resolve(session) })
    onTestFinished(() => own.close())
    session = { subject: 'U1', authTime: own.clock.now(), sessionId: 's1' }
    const started = await authorize(own, { prompt: 'consent' })
    const before = own.dump()

    session = { subject: 'U1', authTime: own.clock.now() + 62, sessionId: renewed }

    expect((await answerInteraction(own, started, consent)).location.pathname).toBe('/login')
    expect(own.dump()).toBe(before)
    own.clock.advance(2)
    expect(codeOf(await answerInteraction(own, started, consent))).not.toBeNull()
  })

  it('the user can consent after a sign-in, although the session of the host is dated in the future', async () => {
    const started = await authorize(site, {}, { cookie: '' })
    await post(started, browserCookie(started), `subject=U1&auth_time=${site.clock.now()}`)
    const cookies = `${browserCookie(started)}; ${signedInAs(site, 'U1', -62)}`
    const path = started.location.pathname + started.location.search
    expect((await site.send({ path, headers: { cookie: cookies } })).json).toMatchObject({ kind: 'consent' })

    expect(codeOf(await post(started, cookies, consent))).not.toBeNull()
  })

  it.each([
    ['completes nothing and leads to the sign-in page', 62, '', '/login'],
    ['completes nothing, even together with consent', 62, `&${consent}`, '/login'],
    ['is accepted within a minute, because the clock of the host may be ahead', 60, '', '/consent'],
  ])('a sign-in that is dated in the future %s', async (_, ahead, answer, next) => {
    const started = await authorize(site, {}, { cookie: '' })
    const before = site.dump()

    const reply = await post(
      started,
      browserCookie(started),
      `subject=U1&auth_time=${site.clock.now() + ahead}${answer}`,
    )

    expect([reply.status, reply.location.pathname]).toEqual([303, next])
    expect(site.dump() === before).toBe(next === '/login')
    const signedIn = `subject=U1&auth_time=${site.clock.now()}&${consent}`
    expect(codeOf(await post(started, browserCookie(started), signedIn))).not.toBeNull()
  })

  it.each<readonly [string, unknown]>([
    ['null', null],
    ['a row with an acr of null', { subject: 'U1', authTime: 1, acr: null }],
    ['a row with an amr that is a text', { subject: 'U1', authTime: 1, amr: 'pwd' }],
  ])('a session that is %s is an error of the host, at the request and on the page', async (_, row) => {
    const host: { session?: unknown } = {}
    const own = await startServer({ signedIn: () => Promise.resolve(host.session as SignedIn) })
    onTestFinished(() => own.close())
    const started = await authorize(own)
    const before = own.dump()
    host.session = row

    expect([(await authorize(own)).status, own.lastReason()]).toEqual([500, 'unexpected_failure'])
    expect((await answerInteraction(own, started, consent)).status).toBe(500)

    expect(own.dump()).toBe(before)
  })

  it.each<readonly [string, object]>([
    ['grantedScopes', { grantedScopes: 'openid profile' }],
    ['grantedDetails', { grantedDetails: 'all' }],
    ['organization', { organization: 5 }],
  ])('a decision with %s of another type is an error of the host, and grants nothing', async (name, decision) => {
    const started = await authorize(site)
    const path = started.location.pathname + started.location.search
    const headers = { cookie: browserCookies(started), origin: site.issuer }
    const pending = await site.server.interaction(plainRequest(site.issuer, { path, headers }))
    const before = site.dump()

    await expect(pending.complete(decision)).rejects.toThrow(`complete: ${name} must be a`)

    expect(site.dump()).toBe(before)
  })

  it('a sign-in time in milliseconds is an error of the host, and completes nothing', async () => {
    const started = await authorize(site, {}, { cookie: '' })

    const reply = await post(started, browserCookie(started), `subject=U1&auth_time=${site.clock.now() * 1000}`)

    expect([reply.status, site.lastReason(), codes()]).toEqual([500, 'unexpected_failure', 0])
  })
})

describe('a session that the browser already had is not accepted as a new sign-in (OIDC Core §3.1.2.1)', () => {
  /** Completes the sign-in page with a sign-in at this time, and consents. */
  const signInAt = (started: Reply, authTime: number): Promise<Reply> =>
    post(started, browserCookies(started), `subject=U1&auth_time=${authTime}&${consent}`)

  const demands = [{ prompt: 'login' }, { prompt: 'login consent' }, { max_age: '0' }]

  it.each(demands.flatMap((demand) => [1, 30, 60].map((ahead) => [demand, ahead] as const)))(
    'with %j, even if its clock is %d seconds ahead',
    async (demand, ahead) => {
      const authTime = site.clock.now() + ahead
      const started = await authorize(site, demand, { cookie: signedInAs(site, 'U1', -ahead) })
      const before = site.dump()

      expect((await signInAt(started, authTime)).location.pathname).toBe('/login')
      site.clock.advance(ahead)
      expect((await signInAt(started, authTime)).location.pathname).toBe('/login')

      expect(site.dump()).toBe(before)
      expect(codeOf(await signInAt(started, authTime + 1))).not.toBeNull()
    },
  )

  it('even if its clock was too far ahead at the time of the request', async () => {
    const authTime = site.clock.now() + 90
    const started = await authorize(site, { prompt: 'login' }, { cookie: signedInAs(site, 'U1', -90) })
    site.clock.advance(31)

    expect((await signInAt(started, authTime)).location.pathname).toBe('/login')

    expect(codeOf(await signInAt(started, site.clock.now()))).not.toBeNull()
  })

  it('a required authentication context that it lacks leads to the sign-in page, not to an error (OIDC Core §5.5.1.1)', async () => {
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['mfa'] } } })
    const started = await authorize(site, { claims }, { cookie: signedInAs(site, 'U1', -30) })

    const reply = await signInAt(started, site.clock.now() + 30)

    expect([reply.location.pathname, site.lastReason()]).toEqual(['/login', undefined])
  })

  it('a sign-in by a server with the correct time is accepted, although the session is from a server that is ahead', async () => {
    const started = await authorize(site, { prompt: 'login' }, { cookie: signedInAs(site, 'U1', -30) })

    expect(codeOf(await signInAt(started, site.clock.now()))).not.toBeNull()
  })
})

describe('nothing completes on a request that is not a navigation (RFC 6749 §3.1)', () => {
  const others = [
    ['a script', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['a program', { 'sec-fetch-mode': 'cors' }],
    ['an image', { 'sec-fetch-dest': 'image' }],
    ['a prefetch', { 'sec-purpose': 'prefetch' }],
    ['a prerendered page', { 'sec-fetch-mode': 'navigate', 'sec-purpose': 'prefetch;prerender' }],
    ['a router', { rsc: '1' }],
    ['a prefetching router', { 'next-router-prefetch': '1' }],
    ['a router that prefetches a segment', { 'next-router-segment-prefetch': '/_tree' }],
    ['a prefetch through a middleware', { 'x-middleware-prefetch': '1' }],
    ['a router that sends its current path', { 'next-url': '/notes' }],
    ['a router that requests data', { 'x-nextjs-data': '1' }],
    ['a prefetch of an older browser', { purpose: 'prefetch' }],
    ['a prefetch of Firefox', { 'x-moz': 'prefetch' }],
    ['a prefetch by a script', { 'x-sec-purpose': 'prefetch' }],
    ['a preview', { 'x-purpose': 'preview' }],
    ['htmx', { 'hx-request': 'true' }],
    ['a frame of Turbo', { 'turbo-frame': 'main' }],
    ['Turbo', { 'x-turbo-request-id': '5a1e7c52-2f0a-4a57-a7b9-2f2a9d1f5c11' }],
    ['Inertia', { 'x-inertia': 'true' }],
    ['pjax', { 'x-pjax': 'true' }],
    ['Unpoly', { 'x-up-version': '3.10.0' }],
    ['an XMLHttpRequest', { 'x-requested-with': 'XMLHttpRequest' }],
  ] as const

  it.each(others)('%s completes no interaction', async (_, headers) => {
    const started = await authorize(site, { prompt: 'consent' })

    for (const form of [consent, 'deny'])
      await expectErrorPage(site, {
        send: () => post(started, browserCookies(started), form, headers),
        reason: 'not_a_navigation',
      })

    expect(codeOf(await answerInteraction(site, started, consent))).not.toBeNull()
  })

  it.each(others)('%s gets no code from an earlier consent', async (_, headers) => {
    await answerInteraction(site, await authorize(site), consent)

    await expectErrorPage(site, { send: () => authorize(site, {}, headers), reason: 'not_a_navigation' })

    expect(
      codeOf(await authorize(site, {}, { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })),
    ).not.toBeNull()
  })
})

it('a web view of Android gets a code, although it sends the name of its application (RFC 6749 §3.1)', async () => {
  await answerInteraction(site, await authorize(site), consent)

  expect(codeOf(await authorize(site, {}, { 'x-requested-with': 'com.example.app' }))).not.toBeNull()
})

describe('anonymous requests store nothing and are limited (RFC 6819 §4.4.1.11)', () => {
  it('an authorization request, its page and a denial store nothing', async () => {
    const before = site.dump()

    const started = await authorize(site, { state: 's'.repeat(1000) }, { cookie: '' })
    await site.send({
      path: started.location.pathname + started.location.search,
      headers: { cookie: browserCookie(started) },
    })
    await post(started, browserCookie(started), 'deny')

    expect(site.dump()).toBe(before)
  })

  it('a denial at the sign-in page completes an interaction in which a user had signed in', async () => {
    const started = await authorize(site, {}, { cookie: '' })
    const cookie = browserCookie(started)
    await post(started, cookie, `subject=U1&auth_time=${site.clock.now()}`)
    const { pathname, search } = started.location
    const headers = { cookie, origin: site.issuer, 'content-type': 'application/x-www-form-urlencoded' }

    const denied = await site.send({
      method: 'POST',
      path: `${pathname}${search}&account=other`,
      headers,
      body: 'deny',
    })

    expect(denied.location.searchParams.get('error')).toBe('access_denied')
    await expectErrorPage(site, { send: () => post(started, cookie, consent), reason: 'interaction_completed' })
  })

  it('a request that does not fit into a URL is refused', async () => {
    const state = 's'.repeat(1024)
    const claims = JSON.stringify({ userinfo: { name: { values: ['x'.repeat(3900)] } } })
    await expectErrorRedirect(
      site,
      { error: 'invalid_request', at: 'https://app.test/cb', state },
      {
        send: () => authorize(site, { state, nonce: state, claims }, { cookie: '' }),
        reason: 'request_too_large',
      },
    )
  })

  it.each([
    ['without a cookie', () => ''],
    ['with made-up cookies', (at: number) => `__Host-mintmark-browser=${String(at).padStart(86, 'A')}`],
  ])('a stranger who sends many requests %s locks out no browser that was here before', async (_, cookie) => {
    const counted: string[] = []
    const startedInteractions: RateLimiter = {
      consume: async (key) => {
        counted.push(key)
        return { allowed: true }
      },
    }
    const limited = await startServer({
      rateLimits: {
        startedInteractions,
        interactionsOfNewBrowsers: createMemoryRateLimiter({ points: 4, window: 60 }),
      },
    })
    const known = browserCookie(await authorize(limited, {}, { cookie: '' }))
    for (let at = 0; at < 3; at += 1) await authorize(limited, {}, { cookie: cookie(at) })

    const refusal = await expectRefusal(limited, {
      send: () => authorize(limited, {}, { cookie: cookie(4) }),
      reason: 'interactions_throttled',
    })

    expect([refusal.status, refusal.header('retry-after'), counted]).toEqual([429, '60', []])
    expect((await authorize(limited, {}, { cookie: known })).status).toBe(303)
    expect(counted).toHaveLength(1)
    await limited.close()
  })

  it('a browser that starts too many interactions uses up only its own limit', async () => {
    const limited = await startServer({
      rateLimits: { startedInteractions: createMemoryRateLimiter({ points: 3, window: 60 }) },
    })
    const [one = '', other = ''] = await Promise.all(
      ['', ''].map(async (cookie) => browserCookie(await authorize(limited, {}, { cookie }))),
    )
    for (let at = 0; at < 3; at += 1) await authorize(limited, {}, { cookie: one })

    const refusal = await expectRefusal(limited, {
      send: () => authorize(limited, {}, { cookie: one }),
      reason: 'interactions_throttled',
    })

    expect([refusal.status, refusal.header('retry-after')]).toEqual([429, '60'])
    expect((await authorize(limited, {}, { cookie: other })).status).toBe(303)
    await limited.close()
  })

  it('allows fifty sign-in attempts in one interaction', async () => {
    const started = await authorize(site, {}, { cookie: '' })
    for (let tried = 0; tried < 50; tried += 1) await post(started, browserCookie(started), '')

    const refusal = await expectRefusal(site, {
      send: () => post(started, browserCookie(started), `subject=U1&auth_time=${site.clock.now()}`),
      reason: 'sign_in_throttled',
    })

    expect(refusal.status).toBe(429)
  })

  it('a signed-in browser gets at most a hundred codes a minute for each client without a page', async () => {
    await answerInteraction(site, await authorize(site), consent)
    for (let silent = 0; silent < 100; silent += 1) await authorize(site)

    await expectErrorRedirect(
      site,
      { error: 'temporarily_unavailable', at: 'https://app.test/cb' },
      { send: () => authorize(site), reason: 'codes_throttled' },
    )

    site.clock.advance(60)
    expect(codeOf(await authorize(site))).not.toBeNull()
  })
})

describe('a signed-in browser cannot fill storage with codes (RFC 6819 §4.4.1.11)', () => {
  const spa = { client_id: 'P', redirect_uri: 'https://spa.test/cb' }

  /** Starts each request as a new browser would, and submits the consent page, as a script could. */
  const consentByScript = async (change: Record<string, string> = {}): Promise<Reply> =>
    answerInteraction(site, await authorize(site, { prompt: 'consent', ...change }), consent)

  it('gets at most a hundred codes a minute for each client when a script submits the consent page', async () => {
    for (let sent = 0; sent < 50; sent += 1) await consentByScript()
    for (let sent = 0; sent < 50; sent += 1) await authorize(site)
    const started = await authorize(site, { prompt: 'consent' })

    await expectErrorRedirect(
      site,
      { error: 'temporarily_unavailable', at: 'https://app.test/cb' },
      { send: () => answerInteraction(site, started, consent), reason: 'codes_throttled' },
    )
    await expectErrorRedirect(
      site,
      { error: 'temporarily_unavailable', at: 'https://app.test/cb' },
      { send: () => authorize(site), reason: 'codes_throttled' },
    )

    expect(codes()).toBe(100)
    expect(codeOf(await consentByScript(spa))).not.toBeNull()
    site.clock.advance(60)
    expect(codeOf(await answerInteraction(site, started, consent))).not.toBeNull()
  })

  it('gets no more codes when the user disconnects the client in between', async () => {
    for (let sent = 0; sent < 100; sent += 1) await consentByScript()
    for (const { grantId } of await site.storage.grants.listByUser(userId('U1')))
      await site.storage.grants.revoke(grantId, site.clock.now())
    const started = await authorize(site)

    await expectErrorRedirect(
      site,
      { error: 'temporarily_unavailable', at: 'https://app.test/cb' },
      { send: () => answerInteraction(site, started, consent), reason: 'codes_throttled' },
    )
  })
})

describe('the handle of a pending sign-in cannot be forged (RFC 9700 §4.7)', () => {
  const withHandle = (started: Reply, handle: string): Promise<Reply> =>
    site.send({
      method: 'POST',
      path: `${started.location.pathname}?interaction=${encodeURIComponent(handle)}`,
      headers: { cookie: browserCookies(started), origin: site.issuer },
      body: consent,
    })

  it.each([
    [
      'with one byte changed',
      (handle: string) => handle.slice(0, 40) + (handle[40] === 'A' ? 'B' : 'A') + handle.slice(41),
    ],
    ['truncated', (handle: string) => handle.slice(0, -4)],
    ['of another sealing key', (handle: string) => `${'A'.repeat(12)}${handle.slice(12)}`],
    ['without its key', (handle: string) => handle.slice(13)],
  ])('refuses a handle %s', async (_, change) => {
    const started = await authorize(site, { prompt: 'consent' })
    const handle = started.location.searchParams.get('interaction') ?? ''

    await expectErrorPage(site, { send: () => withHandle(started, change(handle)), reason: 'interaction_unknown' })
  })

  it('another encoding of the same handle does not complete the interaction again', async () => {
    const started = await authorize(site, { prompt: 'consent' })
    const handle = started.location.searchParams.get('interaction') ?? ''
    const first = await answerInteraction(site, started, consent)
    const code = first.location.searchParams.get('code') ?? ''
    expect((await redeem(site, code)).status).toBe(200)

    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const spellings = digits.split('').map((last) => handle.slice(0, -1) + last)
    for (const spelling of spellings) expect((await withHandle(started, spelling)).status).toBe(400)
    expect(codes()).toBe(1)
  })

  it('refuses the handle at a server with another sealing key', async () => {
    const storage = createMemoryStorage({ issuer: site.issuer })
    const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 9).toString('base64url') })
    const other = await startServer({ keys })
    const started = await authorize(site, { prompt: 'consent' })

    const reply = await other.send({
      path: started.location.pathname + started.location.search,
      headers: { cookie: browserCookies(started) },
    })

    expect([reply.status, other.lastReason()]).toEqual([400, 'interaction_unknown'])
    await other.close()
  })
})
