import { type StoredKeyRing } from '@mintmark/core'
import { clientId, sessionId, StorageUnavailableError } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { signEs256, writeJws, readJws } from '../support/forge-jwt.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { authorize, encode, obtainCode, obtainTokens, postForm, redeem, token } from '../support/flow.ts'
import { forgeries, type GenuineJwt } from '../support/forgeries.ts'
import { withSigner } from '../support/genuine-jwt.ts'
import {
  confirmLogout,
  obtainIdTokenHint,
  logout,
  returnUriOfA,
  sessionCookie,
  startLogoutServer,
} from '../support/logout-server.ts'
import type { LogoutServer } from '../support/logout-server.ts'
import { expectServing, expectJsonRefusal, expectErrorPage } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'

let server: LogoutServer
let attacker: GenuineJwt['attacker']
beforeAll(async () => {
  server = await startLogoutServer()
  attacker = await generateKeyPair('ES256', { extractable: true })
  await expectServing(server)
})
afterAll(() => server.close())

let count = 0
/** Starts a new session of U1. Returns its name and an ID token that was issued to A in it. */
async function startSession(): Promise<{ readonly name: string; readonly hint: string }> {
  const name = `session-${(count += 1)}`
  return { name, hint: await obtainIdTokenHint(server, name) }
}

/** Asserts that the answer is the confirmation page, without a redirect, and that the session has not ended. */
async function expectConfirmationPage(name: string, answer: Reply, problem?: string): Promise<void> {
  expect([answer.status, answer.header('location')]).toEqual([problem === undefined ? 200 : 400, undefined])
  expect(answer.text).toContain('value="sign_out"')
  expect(answer.header('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(answer.header('cache-control')).toBe('no-store')
  expect(answer.cookies).toEqual([])
  expect(server.endedSessions).not.toContain(name)
}

const reasonsSince = (since: number): readonly string[] =>
  server.events.slice(since).flatMap((event) => (event.type === 'request.refused' ? [event.reason] : []))

/** Asserts that the confirmation page reports a problem, that an event has this reason, and that nothing is stored. */
async function expectProblem(name: string, reason: string, send: () => Promise<Reply>): Promise<void> {
  const [before, since] = [server.dump(), server.events.length]
  await expectConfirmationPage(name, await send(), reason)
  expect(reasonsSince(since)).toEqual([reason])
  expect(server.dump()).toBe(before)
}

describe('a logout request with a hint', () => {
  it('signs out and returns to the client with state alone, unchanged (RP-Initiated Logout §3)', async () => {
    const { name, hint } = await startSession()
    const state = `a b+c%20"<>'&=#é漢😀/?`

    const answer = await logout(server, name, { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA, state })

    expect(answer.status).toBe(303)
    expect(answer.header('location')).toBe(`${returnUriOfA}&state=${encodeURIComponent(state)}`)
    expect(answer.header('referrer-policy')).toBe('no-referrer')
    expect(answer.cookies).toEqual(['host=; Path=/; Max-Age=0'])
    expect(server.endedSessions).toContain(name)
    expect(server.events.at(-1)).toMatchObject({
      type: 'user.signed_out',
      userId: 'U1',
      sessionId: name,
      clientId: 'A',
    })
  })

  it('adds nothing to the return URI when the request has no state (RP-Initiated Logout §3)', async () => {
    const { name, hint } = await startSession()

    const answer = await logout(server, name, { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA })

    expect(answer.header('location')).toBe(returnUriOfA)
  })

  it('shows a page that says so when the request names no return URI', async () => {
    const { name, hint } = await startSession()

    const answer = await logout(server, name, { id_token_hint: hint, client_id: 'A', ui_locales: 'de' })

    expect([answer.status, answer.header('location')]).toEqual([200, undefined])
    expect(answer.text).toContain('Sie sind abgemeldet')
    expect(server.endedSessions).toContain(name)
  })

  it('accepts a hint that expired a year ago (RP-Initiated Logout §2)', async () => {
    const { name, hint } = await startSession()
    const genuine = await withSigner({ token: hint, other: hint, attacker }, server.keys)
    const exp = server.clock.now() - 365 * 86_400
    const old = await writeJws(genuine.header, { ...genuine.payload, exp, iat: exp - 600 }, genuine.sign)

    const answer = await logout(server, name, { id_token_hint: old, post_logout_redirect_uri: returnUriOfA })

    expect(answer.header('location')).toBe(returnUriOfA)
    expect(server.endedSessions).toContain(name)
  })

  it('returns to the client at once when the session has already ended (RP-Initiated Logout §2)', async () => {
    const { name, hint } = await startSession()
    const request = { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA, state: 's' }
    await logout(server, name, request)

    const again = await logout(server, name, request)
    const signedOut = await logout(server, undefined, request)

    expect([again, signedOut].map((answer) => answer.header('location'))).toEqual([
      `${returnUriOfA}&state=s`,
      `${returnUriOfA}&state=s`,
    ])
  })

  it.each([
    ['registered itself', { origin: 'registration', selfManagement: { statementIssuer: null } }, undefined],
    ['publishes its own metadata', { origin: 'document' }, undefined],
    [
      'has a software statement with its return URIs',
      {
        origin: 'registration',
        selfManagement: { statementIssuer: 'https://maker.test', statementMembers: ['post_logout_redirect_uris'] },
      },
      returnUriOfA,
    ],
    [
      'has a software statement without them',
      { origin: 'registration', selfManagement: { statementIssuer: 'https://maker.test', statementMembers: [] } },
      undefined,
    ],
    ['was changed by an administrator', { origin: 'administrator' }, returnUriOfA],
  ] as const)('redirects a signed-out browser only for a verified client: it %s', async (_, change, at) => {
    const site = await startLogoutServer()
    const [mine, other] = [await obtainIdTokenHint(site, 'mine'), await obtainIdTokenHint(site, 'other')]
    await changeClient(site.storage, clientId('A'), change)
    const request = { id_token_hint: other, post_logout_redirect_uri: returnUriOfA }

    const signedOut = await logout(site, undefined, request)
    const signsOut = await logout(site, 'mine', { ...request, id_token_hint: mine })

    expect([signedOut.status, signedOut.header('location')]).toEqual([at === undefined ? 200 : 303, at])
    expect(signedOut.text).not.toContain('app.test')
    expect([signsOut.header('location'), site.endedSessions]).toEqual([returnUriOfA, ['mine']])
    await site.close()
  })

  it('accepts any port of a return URI on loopback (RFC 8252 §7.3)', async () => {
    const name = 'session-native'
    const cookie = sessionCookie(server, name)
    const native = { client_id: 'N', redirect_uri: 'http://127.0.0.1/cb' }
    const { id_token: hint } = await tokensOfPublic(native, cookie)

    const answer = await logout(server, name, {
      id_token_hint: hint,
      post_logout_redirect_uri: 'http://127.0.0.1:52341/bye',
    })

    expect(answer.header('location')).toBe('http://127.0.0.1:52341/bye')
  })

  it('prompt=none afterwards is answered with login_required (OIDC Core §3.1.2.6)', async () => {
    const { name, hint } = await startSession()
    await logout(server, name, { id_token_hint: hint })

    const answer = await authorize(server, { prompt: 'none' }, { cookie: sessionCookie(server, name) })

    expect(answer.location.searchParams.get('error')).toBe('login_required')
  })

  it('asks when the hint is of another session of the same user, and ends only the current session (RP-Initiated Logout §6)', async () => {
    const [mine, other] = [await startSession(), await startSession()]
    const request = { id_token_hint: other.hint, post_logout_redirect_uri: returnUriOfA }

    await expectConfirmationPage(mine.name, await logout(server, mine.name, request))
    const answer = await confirmLogout(server, mine.name, request)

    expect(answer.header('location')).toBe(returnUriOfA)
    expect(server.endedSessions).toContain(mine.name)
    expect(server.endedSessions).not.toContain(other.name)
  })

  it.each(['replaced', 'user'] as const)(
    'asks when the session of the hint has ended (%s), and returns to the client after that (RP-Initiated Logout §2)',
    async (reason) => {
      const [earlier, present] = [await startSession(), await startSession()]
      const now = server.clock.now()
      await server.storage.sessions.revoke({
        sessionId: sessionId(earlier.name),
        reason,
        now,
        tombstoneUntil: undefined,
      })
      const request = { id_token_hint: earlier.hint, post_logout_redirect_uri: returnUriOfA }

      await expectConfirmationPage(present.name, await logout(server, present.name, request))
      const answer = await confirmLogout(server, present.name, request)

      expect(answer.header('location')).toBe(returnUriOfA)
      expect(server.endedSessions).toContain(present.name)
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
    const hint = await obtainIdTokenHint(site, 'session-unnamed')
    const genuine = await withSigner({ token: hint, other: hint, attacker }, site.keys)
    const ofClient = await writeJws(genuine.header, { ...genuine.payload, aud: client }, genuine.sign)

    const answer = await logout(site, 'session-unnamed', { id_token_hint: ofClient })

    expect([answer.text.includes('value="sign_out"'), site.endedSessions.length]).toEqual([!isProof, isProof ? 1 : 0])
    await site.close()
  })

  it('asks when the hint is of another user (RP-Initiated Logout §6)', async () => {
    const { name, hint } = await startSession()
    const cookie = sessionCookie(server, name, 'U4')

    const answer = await logout(server, undefined, { id_token_hint: hint }, { cookie })

    await expectConfirmationPage(name, answer)
  })

  async function tokensOfPublic(client: Readonly<Record<string, string>>, cookie: string) {
    const scope = 'openid'
    const started = await authorize(server, { ...client, scope }, { cookie })
    const { pathname, search } = started.location
    const answer = await postForm(server, pathname + search, 'scope=openid', {
      cookie: `${started.cookies.map((each) => each.split(';', 1)[0]).join('; ')}; ${cookie}`,
      origin: server.issuer,
    })
    const code = answer.location.searchParams.get('code') ?? ''
    const redeemed = await redeem(server, code, client, { authorization: '' })
    return redeemed.json as Readonly<Record<string, string>>
  }
})

describe('a hint that is not an ID token of this server', () => {
  let genuine: GenuineJwt
  beforeAll(async () => {
    const token = await obtainIdTokenHint(server, 'session-shared')
    genuine = await withSigner(
      { token, other: await obtainIdTokenHint(server, 'session-shared'), attacker },
      server.keys,
    )
  })

  it.each(forgeries)('is ignored, and the user must confirm the logout: $row', async ({ forge }) => {
    const hint = await forge(genuine)
    // An empty parameter is treated as absent, and a hint that is too long is refused before it is read.
    const reason = hint === '' ? undefined : 'logout_hint_invalid'
    // Stays below the rate limit, which counts the requests of a minute.
    server.clock.advance(1)

    const answer = await logout(server, 'session-shared', { id_token_hint: hint, state: 's' })

    if (hint.length > 8192) expect([answer.status, server.lastReason()]).toEqual([400, 'parameter_too_long'])
    else await expectConfirmationPage('session-shared', answer, reason)
    expect(answer.header('location')).toBeUndefined()
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['of another issuer (RP-Initiated Logout §2)', { iss: 'https://other.test' }],
    ['without a user', { sub: undefined }],
    ['without exp, like a userinfo response (OIDC Core §5.3.2)', { exp: undefined }],
    ['with a list of audiences', { aud: ['A'] }],
  ])('is refused, and the user must confirm the logout: a token %s', async (_what, claims) => {
    const { name, hint } = await startSession()
    const { header, payload, sign } = await withSigner({ token: hint, other: hint, attacker }, server.keys)
    const token = await writeJws(header, { ...payload, ...claims }, sign)

    await expectProblem(name, 'logout_hint_invalid', () =>
      logout(server, name, { id_token_hint: token, post_logout_redirect_uri: returnUriOfA }),
    )
  })

  it.each(['at+jwt', 'logout+jwt', 'secevent+jwt', 'token-introspection+jwt', undefined])(
    'is refused, and the user must confirm the logout: typ %s (RFC 8725 §3.11)',
    async (typ) => {
      const { name, hint } = await startSession()
      const { header, payload, sign } = await withSigner({ token: hint, other: hint, attacker }, server.keys)
      const token = await writeJws({ ...header, typ }, payload, sign)

      await expectProblem(name, 'logout_hint_invalid', () => logout(server, name, { id_token_hint: token }))
    },
  )

  it('is refused, and the user must confirm the logout: an access token (RFC 8725 §3.11)', async () => {
    const { name } = await startSession()
    const tokens = await obtainTokens(server, {}, { cookie: sessionCookie(server, name) })

    await expectProblem(name, 'logout_hint_invalid', () =>
      logout(server, name, { id_token_hint: tokens['access_token'] }),
    )
  })

  it('is refused, and the user must confirm the logout: a foreign key has signed it under a kid of this server', async () => {
    const { name, hint } = await startSession()
    const { header, payload } = readJws(hint)
    const token = await writeJws({ ...header, alg: 'ES256' }, payload, signEs256(attacker.privateKey))

    await expectProblem(name, 'logout_hint_invalid', () => logout(server, name, { id_token_hint: token }))
  })

  it.each([
    ['8,000 dots', '.'.repeat(8000), 'logout_hint_invalid'],
    ['9,000 letters', 'a'.repeat(9000), 'parameter_too_long'],
  ])('refuses a hint of %s before decoding it', async (_what, hint, reason) => {
    const answer = await logout(server, 'session-long', { id_token_hint: hint })

    expect([answer.status, answer.header('location'), server.lastReason()]).toEqual([400, undefined, reason])
  })

  it('is refused, and the user must confirm the logout: a dropped key has signed it', async () => {
    const site = await startLogoutServer()
    const hint = await obtainIdTokenHint(site, 'session-before')
    await (site.keys as StoredKeyRing).drop(String(readJws(hint).header['kid']))

    const answer = await logout(site, 'session-before', { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA })

    expect([answer.status, answer.header('location'), site.lastReason()]).toEqual([
      400,
      undefined,
      'logout_hint_invalid',
    ])
    expect(site.endedSessions).toEqual([])
    await site.close()
  })
})

describe('a return URI', () => {
  it.each([
    ['that is not registered', 'https://evil.test/'],
    ['with a query added', `${returnUriOfA}&foo=bar`],
    ['with a fragment', `${returnUriOfA}#x`],
    ['with another case', returnUriOfA.replace('bye', 'Bye')],
    ['that runs a script', 'javascript:alert(1)'],
    ['that is data', 'data:text/html,x'],
    ['with a tab in its scheme', `ht\ttps://app.test/bye?tab=1`],
    ['with a line break', `${returnUriOfA}\r\nSet-Cookie: a=b`],
    ['of another client', 'https://spa.test/bye'],
    ['that is a redirect URI', 'https://app.test/cb'],
  ])('%s is never followed, and the page asks (RP-Initiated Logout §3)', async (_what, uri) => {
    const { name, hint } = await startSession()
    const request = { id_token_hint: hint, post_logout_redirect_uri: uri, state: 's' }

    await expectProblem(name, 'logout_return_unregistered', () => logout(server, name, request))
    const answer = await confirmLogout(server, name, request)

    expect([answer.status, answer.header('location')]).toEqual([400, undefined])
    expect(server.endedSessions).toContain(name)
  })

  it('without hint and client_id is never followed (RP-Initiated Logout §3)', async () => {
    const { name } = await startSession()

    await expectProblem(name, 'logout_client_missing', () =>
      logout(server, name, { post_logout_redirect_uri: returnUriOfA }),
    )
  })

  it('with client_id alone is followed only after the user has agreed (RP-Initiated Logout §3)', async () => {
    const { name } = await startSession()
    const request = { client_id: 'A', post_logout_redirect_uri: returnUriOfA, state: 's' }

    await expectConfirmationPage(name, await logout(server, name, request))
    const signedOut = await logout(server, undefined, request)
    const answer = await confirmLogout(server, name, request)

    expect([signedOut.status, signedOut.header('location')]).toEqual([200, undefined])
    expect(answer.header('location')).toBe(`${returnUriOfA}&state=s`)
  })

  it.each([
    ['does not exist', 'nobody', 'client_unknown'],
    ['is disabled', 'X', 'client_disabled'],
  ])('of a client that %s is never followed (RP-Initiated Logout §3)', async (_what, client, reason) => {
    const { name } = await startSession()
    await changeClient(server.storage, clientId('X'), { disabledAt: server.clock.now() })

    await expectProblem(name, reason, () =>
      logout(server, name, { client_id: client, post_logout_redirect_uri: 'https://x.test/cb' }),
    )
  })

  it('is not followed when the client was disabled after the sign-in, but the user can sign out', async () => {
    const site = await startLogoutServer()
    const hint = await obtainIdTokenHint(site, 'session-a')
    await changeClient(site.storage, clientId('A'), { disabledAt: site.clock.now() })
    const request = { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA }

    const asked = await logout(site, 'session-a', request)
    const answer = await confirmLogout(site, 'session-a', request)

    expect([asked, answer].map((reply) => reply.header('location'))).toEqual([undefined, undefined])
    expect(site.endedSessions).toEqual(['session-a'])
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
    const before = server.dump()

    const answer = await logout(server, name, request, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })

    await expectConfirmationPage(name, answer)
    expect(answer.text).toContain('ann@example.test')
    expect(answer.text).not.toContain('<script')
    expect(server.dump()).toBe(before)
  })

  it('from a browser without a session gets a page that says that the user is signed out', async () => {
    const answer = await logout(server, undefined, { state: 's' })

    expect([answer.status, answer.header('location')]).toEqual([200, undefined])
    expect(answer.text).toContain('You are signed out')
  })

  it('keeps a user signed in who decides to stay', async () => {
    const { name } = await startSession()

    const answer = await confirmLogout(server, name, {
      decision: 'stay',
      client_id: 'A',
      post_logout_redirect_uri: returnUriOfA,
    })

    expect([answer.status, answer.header('location')]).toEqual([200, undefined])
    expect(answer.text).toContain('You are still signed in')
    expect(server.endedSessions).not.toContain(name)
  })

  it.each<readonly [string, Readonly<Record<string, string>>]>([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['from a sibling site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.as.test' }],
    ['from another origin, in a browser without Sec-Fetch-Site', { origin: 'https://evil.test' }],
    ['from a document without an origin', { origin: 'null' }],
    ['without either header', {}],
  ])('refuses a confirmation %s (RFC 9700 §4.7)', async (_what, headers) => {
    const { name } = await startSession()

    await expectErrorPage(
      server,
      { send: () => confirmLogout(server, name, {}, headers), reason: 'cross_site_post' },
      403,
    )

    expect(server.endedSessions).not.toContain(name)
  })
})

describe('parameters and methods of a logout request', () => {
  it.each(['post_logout_redirect_uri', 'id_token_hint', 'state', 'client_id', 'ui_locales'])(
    'refuses a repeated %s (RFC 6749 §3.1)',
    async (parameter) => {
      const { name, hint } = await startSession()
      const request = { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA, state: 's', client_id: 'A' }

      await expectErrorPage(server, {
        send: () => logout(server, name, `${encode({ ui_locales: 'en', ...request })}&${parameter}=x`),
        reason: 'parameter_repeated',
      })
      expect(server.endedSessions).not.toContain(name)
    },
  )

  it('refuses a client_id that contradicts the hint, and asks the user to confirm the logout (RP-Initiated Logout §2)', async () => {
    const { name, hint } = await startSession()

    await expectProblem(name, 'client_id_contradicted', () =>
      logout(server, name, { id_token_hint: hint, client_id: 'B', post_logout_redirect_uri: returnUriOfA }),
    )
  })

  it('refuses a state of more than 1,024 bytes, and encodes any other once', async () => {
    const { name, hint } = await startSession()
    const request = { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA }

    await expectErrorPage(server, {
      send: () => logout(server, name, { ...request, state: 's'.repeat(1025) }),
      reason: 'parameter_too_long',
    })
    const answer = await logout(server, name, { ...request, state: '\r\nSet-Cookie: a=b"' })

    expect(answer.header('location')).toBe(`${returnUriOfA}&state=%0D%0ASet-Cookie%3A%20a%3Db%22`)
    expect(answer.cookies).toEqual(['host=; Path=/; Max-Age=0'])
  })

  it('uses ten languages at most', async () => {
    const locales = [...Array.from({ length: 1000 }, () => 'fr'), 'de'].join(' ')

    const answer = await logout(server, undefined, { ui_locales: locales })

    expect(answer.text).toContain('<html lang="de"')
  })

  it('redirects a cross-site POST to a GET with the same parameters, so that the browser sends its cookies', async () => {
    const { name, hint } = await startSession()
    const request = { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA, state: 'a b', client_id: 'A' }

    const bounced = await postForm(server, '/session/end', encode(request), { 'sec-fetch-site': 'cross-site' })
    const { pathname, search, searchParams } = bounced.location

    expect([bounced.status, pathname]).toEqual([303, '/session/end'])
    expect(Object.fromEntries(searchParams)).toEqual(request)
    expect((await logout(server, name, search.slice(1))).header('location')).toBe(`${returnUriOfA}&state=a%20b`)
  })

  it('ends no session for HEAD, a prefetch or a script (RFC 9110 §9.2.1)', async () => {
    const { name, hint } = await startSession()
    const path = `/session/end?${encode({ id_token_hint: hint })}`
    const cookie = sessionCookie(server, name)

    const head = await server.send({ method: 'HEAD', path, headers: { cookie } })
    await expectErrorPage(server, {
      send: () => server.send({ path, headers: { cookie, 'sec-purpose': 'prefetch;prerender' } }),
      reason: 'not_a_navigation',
    })
    await expectErrorPage(server, {
      send: () => server.send({ path, headers: { cookie, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' } }),
      reason: 'not_a_navigation',
    })

    expect([head.status, head.text, server.endedSessions.includes(name)]).toEqual([200, '', false])
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
    expect(site.endedSessions).toEqual([])
    await site.close()
  })
})

describe('after a client has ended a session (Back-Channel Logout §2.7)', () => {
  it('a code of the session is refused', async () => {
    const { name, hint } = await startSession()
    const code = await obtainCode(server, {}, { cookie: sessionCookie(server, name) })
    await logout(server, name, { id_token_hint: hint })

    await expectJsonRefusal(
      server,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(server, code), reason: 'session_ended', storage: 'may change' },
    )
  })

  it.each([
    ['without offline_access is refused', 'openid profile', 400],
    ['with offline_access is accepted', 'openid profile offline_access', 200],
  ])('a refresh token %s', async (_what, scope, status) => {
    const { name, hint } = await startSession()
    const tokens = await obtainTokens(server, { scope }, { cookie: sessionCookie(server, name) })
    await logout(server, name, { id_token_hint: hint })

    const refreshed = await token(server, {
      grant_type: 'refresh_token',
      refresh_token: tokens['refresh_token'] ?? 'none',
    })

    expect(refreshed.status).toBe(status)
  })

  it('an access token without offline_access is refused', async () => {
    const { name, hint } = await startSession()
    const tokens = await obtainTokens(server, { scope: 'openid profile' }, { cookie: sessionCookie(server, name) })
    const asked = () =>
      server.send({ path: '/userinfo', headers: { authorization: `Bearer ${tokens['access_token']}` } })
    const before = await asked()
    await logout(server, name, { id_token_hint: hint })

    expect([before.status, (await asked()).status]).toEqual([200, 401])
    expect(await server.storage.sessions.find(sessionId(name))).toMatchObject({ endReason: 'client' })
  })
})

describe('a logout request during a storage outage', () => {
  it('is answered with 503, and not as if the session had ended', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    let isDown = false
    const revoke: typeof storage.sessions.revoke = (end) =>
      isDown ? Promise.reject(new StorageUnavailableError('down')) : storage.sessions.revoke(end)
    const site = await startLogoutServer({}, { storage: { ...storage, sessions: { ...storage.sessions, revoke } } })
    const hint = await obtainIdTokenHint(site, 'session-a')
    isDown = true

    const answer = await logout(site, 'session-a', { id_token_hint: hint, post_logout_redirect_uri: returnUriOfA })

    expect([answer.status, answer.header('location'), answer.cookies]).toEqual([503, undefined, []])
    expect([site.endedSessions, site.lastReason()]).toEqual([[], 'storage_unavailable'])
    isDown = false
    await site.close()
  })
})
