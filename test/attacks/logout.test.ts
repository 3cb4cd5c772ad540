import { type StoredKeyRing } from '@mintmark/core'
import { clientId, sessionId, StorageUnavailableError } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { signEs256, writeJws, readJws } from '../support/forge-jwt.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { authorize, encode, obtainCode, obtainTokens, postForm, redeem, token } from '../support/flow.ts'
import { forgeries, type GenuineJwt } from '../support/forgeries.ts'
import { genuineJwt } from '../support/genuine-jwt.ts'
import { confirm, hintOf, logout, returnOfA, sessionCookie, startLogoutServer } from '../support/logout-server.ts'
import type { LogoutServer } from '../support/logout-server.ts'
import { expectServing, refusedInJson, refusedOnPage } from '../support/refused.ts'
import type { Reply } from '../support/reply.ts'

let under: LogoutServer
let attacker: GenuineJwt['attacker']
beforeAll(async () => {
  under = await startLogoutServer()
  attacker = await generateKeyPair('ES256', { extractable: true })
  await expectServing(under)
})
afterAll(() => under.close())

let count = 0
/** Starts a new session of U1. Returns its name and an ID token that was issued to A in it. */
async function startSession(): Promise<{ readonly name: string; readonly hint: string }> {
  const name = `session-${(count += 1)}`
  return { name, hint: await hintOf(under, name) }
}

/** Asserts that the answer is the confirmation page, without a redirect, and that the session has not ended. */
async function expectConfirmationPage(name: string, answer: Reply, problem?: string): Promise<void> {
  expect([answer.status, answer.header('location')]).toEqual([problem === undefined ? 200 : 400, undefined])
  expect(answer.text).toContain('value="sign_out"')
  expect(answer.header('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(answer.header('cache-control')).toBe('no-store')
  expect(answer.cookies).toEqual([])
  expect(under.ended).not.toContain(name)
}

const reasonsSince = (since: number): readonly string[] =>
  under.events.slice(since).flatMap((event) => (event.type === 'request.refused' ? [event.reason] : []))

/** Asserts that the confirmation page reports a problem, that an event has this reason, and that nothing is stored. */
async function expectProblem(name: string, reason: string, send: () => Promise<Reply>): Promise<void> {
  const [before, since] = [under.dump(), under.events.length]
  await expectConfirmationPage(name, await send(), reason)
  expect(reasonsSince(since)).toEqual([reason])
  expect(under.dump()).toBe(before)
}

describe('a logout request with a hint', () => {
  it('signs out and returns to the client with state alone, unchanged (RP-Initiated Logout §3)', async () => {
    const { name, hint } = await startSession()
    const state = `a b+c%20"<>'&=#é漢😀/?`

    const answer = await logout(under, name, { id_token_hint: hint, post_logout_redirect_uri: returnOfA, state })

    expect(answer.status).toBe(303)
    expect(answer.header('location')).toBe(`${returnOfA}&state=${encodeURIComponent(state)}`)
    expect(answer.header('referrer-policy')).toBe('no-referrer')
    expect(answer.cookies).toEqual(['host=; Path=/; Max-Age=0'])
    expect(under.ended).toContain(name)
    expect(under.events.at(-1)).toMatchObject({ type: 'user.signed_out', userId: 'U1', sessionId: name, clientId: 'A' })
  })

  it('adds nothing to the return URI when the request has no state (RP-Initiated Logout §3)', async () => {
    const { name, hint } = await startSession()

    const answer = await logout(under, name, { id_token_hint: hint, post_logout_redirect_uri: returnOfA })

    expect(answer.header('location')).toBe(returnOfA)
  })

  it('shows a page that says so when the request names no return URI', async () => {
    const { name, hint } = await startSession()

    const answer = await logout(under, name, { id_token_hint: hint, client_id: 'A', ui_locales: 'de' })

    expect([answer.status, answer.header('location')]).toEqual([200, undefined])
    expect(answer.text).toContain('Sie sind abgemeldet')
    expect(under.ended).toContain(name)
  })

  it('accepts a hint that expired a year ago (RP-Initiated Logout §2)', async () => {
    const { name, hint } = await startSession()
    const genuine = await genuineJwt({ token: hint, other: hint, attacker }, under.keys)
    const exp = under.clock.now() - 365 * 86_400
    const old = await writeJws(genuine.header, { ...genuine.payload, exp, iat: exp - 600 }, genuine.sign)

    const answer = await logout(under, name, { id_token_hint: old, post_logout_redirect_uri: returnOfA })

    expect(answer.header('location')).toBe(returnOfA)
    expect(under.ended).toContain(name)
  })

  it('returns to the client at once when the session has already ended (RP-Initiated Logout §2)', async () => {
    const { name, hint } = await startSession()
    const request = { id_token_hint: hint, post_logout_redirect_uri: returnOfA, state: 's' }
    await logout(under, name, request)

    const again = await logout(under, name, request)
    const signedOut = await logout(under, undefined, request)

    expect([again, signedOut].map((answer) => answer.header('location'))).toEqual([
      `${returnOfA}&state=s`,
      `${returnOfA}&state=s`,
    ])
  })

  it.each([
    ['registered itself', { origin: 'registration', selfManagement: { statementIssuer: null } }, undefined],
    ['publishes its own metadata', { origin: 'document' }, undefined],
    [
      'has a software statement',
      { origin: 'registration', selfManagement: { statementIssuer: 'https://maker.test' } },
      returnOfA,
    ],
    ['was changed by an administrator', { origin: 'administrator' }, returnOfA],
  ] as const)('redirects a signed-out browser only for a verified client: it %s', async (_, change, at) => {
    const site = await startLogoutServer()
    const [mine, other] = [await hintOf(site, 'mine'), await hintOf(site, 'other')]
    await changeClient(site.storage, clientId('A'), change)
    const request = { id_token_hint: other, post_logout_redirect_uri: returnOfA }

    const signedOut = await logout(site, undefined, request)
    const signsOut = await logout(site, 'mine', { ...request, id_token_hint: mine })

    expect([signedOut.status, signedOut.header('location')]).toEqual([at === undefined ? 200 : 303, at])
    expect(signedOut.text).not.toContain('app.test')
    expect([signsOut.header('location'), site.ended]).toEqual([returnOfA, ['mine']])
    await site.close()
  })

  it('accepts any port of a return URI on loopback (RFC 8252 §7.3)', async () => {
    const name = 'session-native'
    const cookie = sessionCookie(under, name)
    const native = { client_id: 'N', redirect_uri: 'http://127.0.0.1/cb' }
    const { id_token: hint } = await tokensOfPublic(native, cookie)

    const answer = await logout(under, name, {
      id_token_hint: hint,
      post_logout_redirect_uri: 'http://127.0.0.1:52341/bye',
    })

    expect(answer.header('location')).toBe('http://127.0.0.1:52341/bye')
  })

  it('prompt=none afterwards is answered with login_required (OIDC Core §3.1.2.6)', async () => {
    const { name, hint } = await startSession()
    await logout(under, name, { id_token_hint: hint })

    const answer = await authorize(under, { prompt: 'none' }, { cookie: sessionCookie(under, name) })

    expect(answer.location.searchParams.get('error')).toBe('login_required')
  })

  it('asks when the hint is of another session of the same user, and ends only the current session (RP-Initiated Logout §6)', async () => {
    const [mine, other] = [await startSession(), await startSession()]
    const request = { id_token_hint: other.hint, post_logout_redirect_uri: returnOfA }

    await expectConfirmationPage(mine.name, await logout(under, mine.name, request))
    const answer = await confirm(under, mine.name, request)

    expect(answer.header('location')).toBe(returnOfA)
    expect(under.ended).toContain(mine.name)
    expect(under.ended).not.toContain(other.name)
  })

  it.each(['replaced', 'user'] as const)(
    'asks when the session of the hint has ended (%s), and returns to the client after that (RP-Initiated Logout §2)',
    async (reason) => {
      const [earlier, present] = [await startSession(), await startSession()]
      const now = under.clock.now()
      await under.storage.sessions.revoke({
        sessionId: sessionId(earlier.name),
        reason,
        now,
        tombstoneUntil: undefined,
      })
      const request = { id_token_hint: earlier.hint, post_logout_redirect_uri: returnOfA }

      await expectConfirmationPage(present.name, await logout(under, present.name, request))
      const answer = await confirm(under, present.name, request)

      expect(answer.header('location')).toBe(returnOfA)
      expect(under.ended).toContain(present.name)
    },
  )

  it.each([
    ['signs out at once for a client with a secret', 'A', true],
    ['asks for a client without a secret', 'N', false],
  ])('when the host names no sessions, %s (RP-Initiated Logout §6)', async (_what, client, isProof) => {
    const site = await startLogoutServer(
      {},
      { signedIn: () => Promise.resolve({ subject: 'U1', authTime: 1_789_999_995, amr: ['pwd'] }) },
    )
    const hint = await hintOf(site, 'session-unnamed')
    const genuine = await genuineJwt({ token: hint, other: hint, attacker }, site.keys)
    const ofClient = await writeJws(genuine.header, { ...genuine.payload, aud: client }, genuine.sign)

    const answer = await logout(site, 'session-unnamed', { id_token_hint: ofClient })

    expect([answer.text.includes('value="sign_out"'), site.ended.length]).toEqual([!isProof, isProof ? 1 : 0])
    await site.close()
  })

  it('asks when the hint is of another user (RP-Initiated Logout §6)', async () => {
    const { name, hint } = await startSession()
    const cookie = sessionCookie(under, name, 'U4')

    const answer = await logout(under, undefined, { id_token_hint: hint }, { cookie })

    await expectConfirmationPage(name, answer)
  })

  async function tokensOfPublic(client: Readonly<Record<string, string>>, cookie: string) {
    const scope = 'openid'
    const started = await authorize(under, { ...client, scope }, { cookie })
    const { pathname, search } = started.location
    const answer = await postForm(under, pathname + search, 'scope=openid', {
      cookie: `${started.cookies.map((each) => each.split(';', 1)[0]).join('; ')}; ${cookie}`,
      origin: under.issuer,
    })
    const code = answer.location.searchParams.get('code') ?? ''
    const redeemed = await redeem(under, code, client, { authorization: '' })
    return redeemed.json as Readonly<Record<string, string>>
  }
})

describe('a hint that is not an ID token of this server', () => {
  let genuine: GenuineJwt
  beforeAll(async () => {
    const token = await hintOf(under, 'session-shared')
    genuine = await genuineJwt({ token, other: await hintOf(under, 'session-shared'), attacker }, under.keys)
  })

  it.each(forgeries)('$row', async ({ forge }) => {
    const hint = await forge(genuine)
    // An empty parameter is treated as absent, and a hint that is too long is refused before it is read.
    const reason = hint === '' ? undefined : 'logout_hint_invalid'
    // Stays below the rate limit, which counts the requests of a minute.
    under.clock.advance(1)

    const answer = await logout(under, 'session-shared', { id_token_hint: hint, state: 's' })

    if (hint.length > 8192) expect([answer.status, under.lastReason()]).toEqual([400, 'parameter_too_long'])
    else await expectConfirmationPage('session-shared', answer, reason)
    expect(answer.header('location')).toBeUndefined()
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['of another issuer (RP-Initiated Logout §2)', { iss: 'https://other.test' }],
    ['without a user', { sub: undefined }],
    ['without exp, like a userinfo response (OIDC Core §5.3.2)', { exp: undefined }],
    ['with a list of audiences', { aud: ['A'] }],
  ])('refuses a token %s, and asks', async (_what, claims) => {
    const { name, hint } = await startSession()
    const { header, payload, sign } = await genuineJwt({ token: hint, other: hint, attacker }, under.keys)
    const token = await writeJws(header, { ...payload, ...claims }, sign)

    await expectProblem(name, 'logout_hint_invalid', () =>
      logout(under, name, { id_token_hint: token, post_logout_redirect_uri: returnOfA }),
    )
  })

  it.each(['at+jwt', 'logout+jwt', 'secevent+jwt', 'token-introspection+jwt', undefined])(
    'refuses typ %s, and asks (RFC 8725 §3.11)',
    async (typ) => {
      const { name, hint } = await startSession()
      const { header, payload, sign } = await genuineJwt({ token: hint, other: hint, attacker }, under.keys)
      const token = await writeJws({ ...header, typ }, payload, sign)

      await expectProblem(name, 'logout_hint_invalid', () => logout(under, name, { id_token_hint: token }))
    },
  )

  it('refuses an access token, and asks (RFC 8725 §3.11)', async () => {
    const { name } = await startSession()
    const tokens = await obtainTokens(under, {}, { cookie: sessionCookie(under, name) })

    await expectProblem(name, 'logout_hint_invalid', () =>
      logout(under, name, { id_token_hint: tokens['access_token'] }),
    )
  })

  it('refuses a hint that a foreign key has signed under a kid of this server, and asks', async () => {
    const { name, hint } = await startSession()
    const { header, payload } = readJws(hint)
    const token = await writeJws({ ...header, alg: 'ES256' }, payload, signEs256(attacker.privateKey))

    await expectProblem(name, 'logout_hint_invalid', () => logout(under, name, { id_token_hint: token }))
  })

  it.each([
    ['8,000 dots', '.'.repeat(8000), 'logout_hint_invalid'],
    ['9,000 letters', 'a'.repeat(9000), 'parameter_too_long'],
  ])('refuses a hint of %s before decoding it', async (_what, hint, reason) => {
    const answer = await logout(under, 'session-long', { id_token_hint: hint })

    expect([answer.status, answer.header('location'), under.lastReason()]).toEqual([400, undefined, reason])
  })

  it('refuses a hint that a dropped key has signed, and asks', async () => {
    const site = await startLogoutServer()
    const hint = await hintOf(site, 'session-before')
    await (site.keys as StoredKeyRing).drop(String(readJws(hint).header['kid']))

    const answer = await logout(site, 'session-before', { id_token_hint: hint, post_logout_redirect_uri: returnOfA })

    expect([answer.status, answer.header('location'), site.lastReason()]).toEqual([
      400,
      undefined,
      'logout_hint_invalid',
    ])
    expect(site.ended).toEqual([])
    await site.close()
  })
})

describe('a return URI', () => {
  it.each([
    ['that is not registered', 'https://evil.test/'],
    ['with a query added', `${returnOfA}&foo=bar`],
    ['with a fragment', `${returnOfA}#x`],
    ['with another case', returnOfA.replace('bye', 'Bye')],
    ['that runs a script', 'javascript:alert(1)'],
    ['that is data', 'data:text/html,x'],
    ['with a tab in its scheme', `ht\ttps://app.test/bye?tab=1`],
    ['with a line break', `${returnOfA}\r\nSet-Cookie: a=b`],
    ['of another client', 'https://spa.test/bye'],
    ['that is a redirect URI', 'https://app.test/cb'],
  ])('%s is never followed, and the page asks (RP-Initiated Logout §3)', async (_what, uri) => {
    const { name, hint } = await startSession()
    const request = { id_token_hint: hint, post_logout_redirect_uri: uri, state: 's' }

    await expectProblem(name, 'logout_return_unregistered', () => logout(under, name, request))
    const answer = await confirm(under, name, request)

    expect([answer.status, answer.header('location')]).toEqual([400, undefined])
    expect(under.ended).toContain(name)
  })

  it('without hint and client_id is never followed (RP-Initiated Logout §3)', async () => {
    const { name } = await startSession()

    await expectProblem(name, 'logout_return_unregistered', () =>
      logout(under, name, { post_logout_redirect_uri: returnOfA }),
    )
  })

  it('with client_id alone is followed only after the user has agreed (RP-Initiated Logout §3)', async () => {
    const { name } = await startSession()
    const request = { client_id: 'A', post_logout_redirect_uri: returnOfA, state: 's' }

    await expectConfirmationPage(name, await logout(under, name, request))
    const signedOut = await logout(under, undefined, request)
    const answer = await confirm(under, name, request)

    expect([signedOut.status, signedOut.header('location')]).toEqual([200, undefined])
    expect(answer.header('location')).toBe(`${returnOfA}&state=s`)
  })

  it.each([
    ['does not exist', 'nobody', 'client_unknown'],
    ['is disabled', 'X', 'client_disabled'],
  ])('of a client that %s is never followed (RP-Initiated Logout §3)', async (_what, client, reason) => {
    const { name } = await startSession()
    await changeClient(under.storage, clientId('X'), { disabledAt: under.clock.now() })

    await expectProblem(name, reason, () =>
      logout(under, name, { client_id: client, post_logout_redirect_uri: 'https://x.test/cb' }),
    )
  })

  it('is not followed when the client was disabled after the sign-in, but the user can sign out', async () => {
    const site = await startLogoutServer()
    const hint = await hintOf(site, 'session-a')
    await changeClient(site.storage, clientId('A'), { disabledAt: site.clock.now() })
    const request = { id_token_hint: hint, post_logout_redirect_uri: returnOfA }

    const asked = await logout(site, 'session-a', request)
    const answer = await confirm(site, 'session-a', request)

    expect([asked, answer].map((reply) => reply.header('location'))).toEqual([undefined, undefined])
    expect(site.ended).toEqual(['session-a'])
    await site.close()
  })
})

describe('a logout request that proves nothing', () => {
  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['no parameters', {}],
    ['only a state', { state: 's' }],
    ['only a client_id', { client_id: 'A' }],
    ['a logout_hint', { logout_hint: '<script>alert(1)</script>' }],
  ])('asks the user: %s (RP-Initiated Logout §2)', async (_what, request) => {
    const { name } = await startSession()
    const before = under.dump()

    const answer = await logout(under, name, request, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })

    await expectConfirmationPage(name, answer)
    expect(answer.text).toContain('ann@example.test')
    expect(answer.text).not.toContain('<script')
    expect(under.dump()).toBe(before)
  })

  it('tells a browser that it is signed out already', async () => {
    const answer = await logout(under, undefined, { state: 's' })

    expect([answer.status, answer.header('location')]).toEqual([200, undefined])
    expect(answer.text).toContain('You are signed out')
  })

  it('keeps a user signed in who decides to stay', async () => {
    const { name } = await startSession()

    const answer = await confirm(under, name, { decision: 'stay', client_id: 'A', post_logout_redirect_uri: returnOfA })

    expect([answer.status, answer.header('location')]).toEqual([200, undefined])
    expect(answer.text).toContain('You are still signed in')
    expect(under.ended).not.toContain(name)
  })

  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['from a sibling site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.as.test' }],
    ['from another origin, in a browser without Sec-Fetch-Site', { origin: 'https://evil.test' }],
    ['from a document without an origin', { origin: 'null' }],
    ['without either header', {}],
  ])('refuses a confirmation %s (RFC 9700 §4.7)', async (_what, headers) => {
    const { name } = await startSession()

    await refusedOnPage(under, { send: () => confirm(under, name, {}, headers), reason: 'cross_site_post' }, 403)

    expect(under.ended).not.toContain(name)
  })
})

describe('parameters and methods of a logout request', () => {
  it.each(['post_logout_redirect_uri', 'id_token_hint', 'state', 'client_id', 'ui_locales'])(
    'refuses a repeated %s (RFC 6749 §3.1)',
    async (parameter) => {
      const { name, hint } = await startSession()
      const request = { id_token_hint: hint, post_logout_redirect_uri: returnOfA, state: 's', client_id: 'A' }

      await refusedOnPage(under, {
        send: () => logout(under, name, `${encode({ ui_locales: 'en', ...request })}&${parameter}=x`),
        reason: 'parameter_repeated',
      })
      expect(under.ended).not.toContain(name)
    },
  )

  it('refuses a client_id that contradicts the hint, and asks (RP-Initiated Logout §2)', async () => {
    const { name, hint } = await startSession()

    await expectProblem(name, 'client_id_contradicted', () =>
      logout(under, name, { id_token_hint: hint, client_id: 'B', post_logout_redirect_uri: returnOfA }),
    )
  })

  it('refuses a state of more than 1,024 bytes, and encodes any other once', async () => {
    const { name, hint } = await startSession()
    const request = { id_token_hint: hint, post_logout_redirect_uri: returnOfA }

    await refusedOnPage(under, {
      send: () => logout(under, name, { ...request, state: 's'.repeat(1025) }),
      reason: 'parameter_too_long',
    })
    const answer = await logout(under, name, { ...request, state: '\r\nSet-Cookie: a=b"' })

    expect(answer.header('location')).toBe(`${returnOfA}&state=%0D%0ASet-Cookie%3A%20a%3Db%22`)
    expect(answer.cookies).toEqual(['host=; Path=/; Max-Age=0'])
  })

  it('uses ten languages at most', async () => {
    const locales = [...Array.from({ length: 1000 }, () => 'fr'), 'de'].join(' ')

    const answer = await logout(under, undefined, { ui_locales: locales })

    expect(answer.text).toContain('<html lang="de"')
  })

  it('redirects a cross-site POST to a GET with the same parameters, so that the browser sends its cookies', async () => {
    const { name, hint } = await startSession()
    const request = { id_token_hint: hint, post_logout_redirect_uri: returnOfA, state: 'a b', client_id: 'A' }

    const bounced = await postForm(under, '/session/end', encode(request), { 'sec-fetch-site': 'cross-site' })
    const { pathname, search, searchParams } = bounced.location

    expect([bounced.status, pathname]).toEqual([303, '/session/end'])
    expect(Object.fromEntries(searchParams)).toEqual(request)
    expect((await logout(under, name, search.slice(1))).header('location')).toBe(`${returnOfA}&state=a%20b`)
  })

  it('ends no session for HEAD, a prefetch or a script (RFC 9110 §9.2.1)', async () => {
    const { name, hint } = await startSession()
    const path = `/session/end?${encode({ id_token_hint: hint })}`
    const cookie = sessionCookie(under, name)

    const head = await under.send({ method: 'HEAD', path, headers: { cookie } })
    await refusedOnPage(under, {
      send: () => under.send({ path, headers: { cookie, 'sec-purpose': 'prefetch;prerender' } }),
      reason: 'not_a_navigation',
    })
    await refusedOnPage(under, {
      send: () => under.send({ path, headers: { cookie, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' } }),
      reason: 'not_a_navigation',
    })

    expect([head.status, head.text, under.ended.includes(name)]).toEqual([200, '', false])
  })

  it('refuses a browser that sends too many requests, but no other browser (RFC 6585 §4)', async () => {
    const site = await startLogoutServer()
    const answers: number[] = []
    for (let sent = 0; sent < 101; sent += 1) answers.push((await logout(site, 'flood', {})).status)

    expect(answers).toEqual([...Array.from({ length: 100 }, () => 200), 429])
    expect(site.lastReason()).toBe('logouts_throttled')
    expect((await logout(site, 'another', {})).status).toBe(200)
    await site.close()
  })

  it('limits how often a user signs out where the host names no sessions and the browser has no cookie (RFC 6585 §4)', async () => {
    const site = await startLogoutServer(
      {},
      { signedIn: () => Promise.resolve({ subject: 'U1', authTime: 1_789_999_995, amr: ['pwd'] }) },
    )
    const answers: number[] = []
    for (let sent = 0; sent < 101; sent += 1) answers.push((await logout(site, `browser-${sent}`, {})).status)

    expect(answers).toEqual([...Array.from({ length: 100 }, () => 200), 429])
    expect(site.lastReason()).toBe('logouts_throttled')
    expect(site.ended).toEqual([])
    await site.close()
  })
})

describe('after a client has ended a session (Back-Channel Logout §2.7)', () => {
  it('a code of the session is refused', async () => {
    const { name, hint } = await startSession()
    const code = await obtainCode(under, {}, { cookie: sessionCookie(under, name) })
    await logout(under, name, { id_token_hint: hint })

    await refusedInJson(
      under,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(under, code), reason: 'session_ended', kept: 'whatever' },
    )
  })

  it.each([
    ['without offline_access is refused', 'openid profile', 400],
    ['with offline_access is accepted', 'openid profile offline_access', 200],
  ])('a refresh token %s', async (_what, scope, status) => {
    const { name, hint } = await startSession()
    const tokens = await obtainTokens(under, { scope }, { cookie: sessionCookie(under, name) })
    await logout(under, name, { id_token_hint: hint })

    const refreshed = await token(under, {
      grant_type: 'refresh_token',
      refresh_token: tokens['refresh_token'] ?? 'none',
    })

    expect(refreshed.status).toBe(status)
  })

  it('an access token without offline_access is refused', async () => {
    const { name, hint } = await startSession()
    const tokens = await obtainTokens(under, { scope: 'openid profile' }, { cookie: sessionCookie(under, name) })
    const asked = () =>
      under.send({ path: '/userinfo', headers: { authorization: `Bearer ${tokens['access_token']}` } })
    const before = await asked()
    await logout(under, name, { id_token_hint: hint })

    expect([before.status, (await asked()).status]).toEqual([200, 401])
    expect(await under.storage.sessions.find(sessionId(name))).toMatchObject({ endReason: 'client' })
  })
})

describe('a logout request during a storage outage', () => {
  it('is answered with 503, and not as if the session had ended', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    let isDown = false
    const revoke: typeof storage.sessions.revoke = (end) =>
      isDown ? Promise.reject(new StorageUnavailableError('down')) : storage.sessions.revoke(end)
    const site = await startLogoutServer({}, { storage: { ...storage, sessions: { ...storage.sessions, revoke } } })
    const hint = await hintOf(site, 'session-a')
    isDown = true

    const answer = await logout(site, 'session-a', { id_token_hint: hint, post_logout_redirect_uri: returnOfA })

    expect([answer.status, answer.header('location'), answer.cookies]).toEqual([503, undefined, []])
    expect([site.ended, site.lastReason()]).toEqual([[], 'storage_unavailable'])
    isDown = false
    await site.close()
  })
})
