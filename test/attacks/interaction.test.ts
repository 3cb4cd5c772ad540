import { clientId, userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import {
  answerInteraction,
  authorize,
  browserCookie,
  browserCookies,
  redeem,
  token,
  verifier,
  type Change,
} from '../support/flow.ts'
import { expectServing, expectErrorRedirect, expectErrorPage } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const pkceForP = { client_id: 'P', redirect_uri: 'https://spa.test/cb', prompt: 'consent' }
/** The response to a request of client P that waits for consent, in a new browser. */
let started: Reply
beforeEach(async () => {
  started = await authorize(site, pkceForP)
})

const consent = 'scope=openid&scope=profile'
const codeOf = (reply: Reply): string | null => reply.location.searchParams.get('code')
const countCodes = (): number => (JSON.parse(site.dump()) as { codes: readonly unknown[] }).codes.length

const redeemAsP = (code: string | null, change: Change = {}): Promise<Reply> =>
  token(
    site,
    {
      grant_type: 'authorization_code',
      client_id: 'P',
      code: code ?? '',
      redirect_uri: 'https://spa.test/cb',
      code_verifier: verifier,
      ...change,
    },
    { authorization: '' },
  )

/** Returns a function that sends a request to the host's page. The browser's cookie is sent only if it is given. */
const visit =
  (headers: Readonly<Record<string, string>>, sent: { method?: string; body?: string; search?: string } = {}) =>
  () =>
    site.send({
      method: sent.method ?? 'GET',
      path: started.location.pathname + (sent.search ?? started.location.search),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: sent.body ?? '',
    })

describe('an interaction (RFC 6749 §4.1.2)', () => {
  it('cannot be completed twice', async () => {
    const before = countCodes()
    const first = await answerInteraction(site, started, consent)
    expect((await redeemAsP(codeOf(first))).status).toBe(200)

    await expectErrorPage(site, {
      send: () => answerInteraction(site, started, consent),
      reason: 'interaction_unknown',
    })

    expect(countCodes() - before).toBe(1)
  })

  it('is completed once by ten equal and concurrent requests, which get the same code', async () => {
    const before = countCodes()

    const replies = await Promise.all(Array.from({ length: 10 }, () => answerInteraction(site, started, consent)))

    const codes = replies.map(codeOf)
    expect(codes).not.toContain(null)
    expect(new Set(codes).size).toBe(1)
    expect(countCodes() - before).toBe(1)
  })

  it('is ended in exactly one way by several requests that complete or deny it concurrently', async () => {
    const before = countCodes()

    const replies = await Promise.all(
      ['deny', consent, 'deny', consent].map((form) => answerInteraction(site, started, form)),
    )

    const locations = replies.flatMap((reply) => reply.header('location') ?? [])
    expect(locations).toHaveLength(2)
    expect(new Set(locations).size).toBe(1)
    expect(countCodes() - before).toBe(locations[0]?.includes('code=') === true ? 1 : 0)
  })

  it('cannot be completed after it was denied', async () => {
    await expectErrorRedirect(
      site,
      { error: 'access_denied', at: 'https://spa.test/cb' },
      { send: () => answerInteraction(site, started, 'deny'), reason: undefined, storage: 'may change' },
    )

    await expectErrorPage(site, {
      send: () => answerInteraction(site, started, consent),
      reason: 'interaction_completed',
    })
  })

  it('expires after 30 minutes', async () => {
    const late = await startServer()
    const old = await authorize(late, pkceForP)
    late.clock.advance(1800)

    await expectErrorPage(late, { send: () => answerInteraction(late, old, consent), reason: 'interaction_unknown' })
    await late.close()
  })

  it('is not consumed when it is read', async () => {
    for (const method of ['GET', 'HEAD', 'GET']) await visit({ cookie: browserCookie(started) }, { method })()

    expect(codeOf(await answerInteraction(site, started, consent))).not.toBeNull()
  })
})

describe('the stored request takes precedence over the form (RFC 6749 §3.3)', () => {
  it('form fields that name another client, redirect URI, scope, state or challenge have no effect', async () => {
    const form = `${consent}&client_id=A&redirect_uri=https%3A%2F%2Fevil.test%2Fcb&response_type=token&state=evil&code_challenge=x&code_challenge_method=plain&nonce=evil`

    const done = await answerInteraction(site, started, form)

    expect(done.location.origin).toBe('https://spa.test')
    expect(done.location.searchParams.get('state')).toBe('s1')
    expect((await redeemAsP(codeOf(done))).json['scope']).toBe('openid profile')
  })

  it('the same parameters in the URL of the page have no effect', async () => {
    const search = `${started.location.search}&client_id=A&redirect_uri=https%3A%2F%2Fevil.test%2Fcb&scope=api.read&state=evil`

    const done = await visit(
      { cookie: browserCookies(started), origin: site.issuer },
      { method: 'POST', search, body: consent },
    )()

    expect(done.location.origin).toBe('https://spa.test')
    expect(done.location.searchParams.get('state')).toBe('s1')
  })

  it.each(['api.read', 'api.write', 'offline_access', 'email', 'admin', 'openid profile', '__proto__'])(
    'ignores consent to %s, which was not requested',
    async (scope) => {
      const done = await answerInteraction(site, started, `${consent}&scope=${encodeURIComponent(scope)}`)

      const tokens = await redeemAsP(codeOf(done))
      expect(tokens.json['scope']).toBe('openid profile')
      expect(site.dump()).not.toMatch(/"scopes": \[[^\]]*"(?:api\.write|admin|openid profile|__proto__)"/)
    },
  )

  it.each([
    ['consent', ''],
    ['a sign-in with consent', '&subject=U1&auth_time=1'],
  ])('treats %s only to scopes that were not requested as a denial', async (_, signIn) => {
    const before = countCodes()

    const done = await answerInteraction(site, started, `scope=api.write${signIn}`)

    expect(done.location.searchParams.get('error')).toBe('access_denied')
    expect(countCodes()).toBe(before)
  })

  it('stores each scope once when the form repeats it', async () => {
    const done = await answerInteraction(site, started, `${consent}&${consent}`)

    expect((await redeemAsP(codeOf(done))).json['scope']).toBe('openid profile')
    expect(site.dump()).not.toMatch(/"openid",\s+"profile",\s+"openid"/)
  })

  it('grants only the scopes that were consented to (RFC 6749 §3.3)', async () => {
    const done = await answerInteraction(site, started, 'scope=openid')

    expect((await redeemAsP(codeOf(done))).json['scope']).toBe('openid')
  })
})

describe('an interaction belongs to the browser that started it (RFC 9700 §4.7)', () => {
  const otherCookie = async (): Promise<string> => browserCookie(await authorize(site, pkceForP))

  it.each([
    ['no cookie', () => Promise.resolve('')],
    ['the cookie of another browser', otherCookie],
    ['an invented cookie', () => Promise.resolve(`__Host-mintmark-browser=${'A'.repeat(86)}`)],
    ['the right cookie without its MAC', () => Promise.resolve(browserCookie(started).slice(0, -43))],
    [
      'the right cookie with another MAC',
      () => Promise.resolve(`${browserCookie(started).slice(0, -43)}${'A'.repeat(43)}`),
    ],
    ['an empty cookie', () => Promise.resolve('__Host-mintmark-browser=')],
    [
      'the right cookie under a name that a sibling host can set',
      () => Promise.resolve(browserCookie(started).replace('__Host-', '')),
    ],
    ['the right cookie in upper case', () => Promise.resolve(browserCookie(started).toUpperCase())],
    ['the right cookie after a planted one', async () => `${await otherCookie()}; ${browserCookie(started)}`],
    ['the right cookie inside another cookie', () => Promise.resolve(`x=y, ${browserCookie(started)}`)],
  ])('another browser can neither read nor complete it: %s', async (_, cookieOf) => {
    const cookie = await cookieOf()
    const headers = { cookie, origin: site.issuer }

    await expectErrorPage(site, {
      send: visit(headers),
      reason: 'interaction_unknown',
      secrets: ['spa.test', 'Page', 'U1'],
    })
    await expectErrorPage(site, {
      send: visit(headers, { method: 'POST', body: consent }),
      reason: 'interaction_unknown',
    })
    await expectErrorPage(site, {
      send: visit(headers, { method: 'POST', body: 'deny' }),
      reason: 'interaction_unknown',
    })

    expect(codeOf(await answerInteraction(site, started, consent))).not.toBeNull()
  })

  it.each([
    ['no handle', ''],
    ['an empty handle', '?interaction='],
    ['an invented handle', `?interaction=${'A'.repeat(43)}`],
    ['a handle named like an Object.prototype member', '?interaction=__proto__'],
    ['a handle in another parameter', '?Interaction=x'],
    ['a handle of 10,000 characters', `?interaction=${'A'.repeat(10_000)}`],
  ])('rejects a request with %s (RFC 9700 §4.7)', async (_, search) => {
    const headers = { cookie: browserCookie(started), origin: site.issuer }

    await expectErrorPage(site, { send: visit(headers, { search }), reason: 'interaction_unknown' })
    await expectErrorPage(site, {
      send: visit(headers, { method: 'POST', search, body: consent }),
      reason: 'interaction_unknown',
    })
  })

  it.each(['planted', 'A'.repeat(43), 'A'.repeat(86)])(
    'replaces the cookie %s, which this server cannot have set (RFC 9700 §4.7)',
    async (value) => {
      const planted = await authorize(site, pkceForP, { cookie: `__Host-mintmark-browser=${value}` })

      expect(planted.cookies).toHaveLength(1)
    },
  )

  it('stores neither the handle nor the cookie in clear', () => {
    const handle = started.location.searchParams.get('interaction') ?? '?'
    const secret = (browserCookie(started).split('=')[1] ?? '?').slice(0, 43)

    expect(site.dump()).not.toContain(handle)
    expect(site.dump()).not.toContain(secret)
  })
})

describe('the request is verified again at each step', () => {
  it.each([
    ['the client was disabled', { disabledAt: 1 }, 'client_disabled'],
    ['its redirect URI was withdrawn', { redirectUris: ['https://spa.test/new'] }, 'redirect_uri_mismatch'],
  ] as const)('rejects it when %s meanwhile (RFC 6749 §3.1.2.4)', async (_, change, reason) => {
    const server = await startServer()
    const waiting = await authorize(server, pkceForP)
    await changeClient(server.storage, clientId('P'), change as object)

    await expectErrorPage(server, { send: () => answerInteraction(server, waiting, consent), reason })
    await server.close()
  })

  it('rejects it when the client lost its scopes meanwhile (RFC 6749 §3.3)', async () => {
    const server = await startServer()
    const waiting = await authorize(server, pkceForP)
    await changeClient(server.storage, clientId('P'), { scopes: [] })

    await expectErrorRedirect(
      server,
      { error: 'invalid_scope', at: 'https://spa.test/cb' },
      { send: () => answerInteraction(server, waiting, consent), reason: 'scope_not_allowed' },
    )
    await server.close()
  })

  it('issues no code when the user was deactivated between sign-in and consent', async () => {
    const server = await startServer()
    const waiting = await authorize(server, pkceForP)
    await server.storage.users.deactivate(userId('U1'), server.clock.now())

    const reply = await answerInteraction(server, waiting, consent)

    expect(codeOf(reply)).toBeNull()
    expect((JSON.parse(server.dump()) as { codes: readonly unknown[] }).codes).toEqual([])
    await server.close()
  })
})

it('a normal request still succeeds after all these attacks', async () => {
  await expectServing(site)
  expect((await redeem(site, 'x')).status).toBe(400)
})
