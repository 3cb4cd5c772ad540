import { decodeJwt } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'

import { clientId, epochSeconds, sessionId, userId } from '@mintmark/storage-interface'
import {
  answerInteraction,
  authorize,
  basic,
  obtainCode,
  obtainTokens,
  postForm,
  redeem,
  token,
} from '../support/flow.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
const start = async (options: Parameters<typeof startServer>[0] = {}) => (site = await startServer(options))
afterEach(() => site.close())

/** The session that the host names for U1. */
const session = 'sid-U1'

const online = { scope: 'openid profile' }

const introspect = async (tokenText = '') => {
  const reply = await postForm(site, '/token/introspection', `token=${tokenText}`, {
    authorization: basic('A', site.clients.A.secret),
  })
  return reply.json
}

const userinfo = (tokenText = '') => site.send({ path: '/userinfo', headers: { authorization: `Bearer ${tokenText}` } })

describe('tokens of an ended session (OIDC Back-Channel Logout 1.0 §2.7)', () => {
  it('are revoked if they were granted without offline_access', async () => {
    await start()
    const { access_token: access = '' } = await obtainTokens(site, online)
    expect(decodeJwt(access)['session']).toBe(session)
    const before = await introspect(access)
    expect([before['active'], 'session' in before]).toEqual([true, false])

    expect(await site.server.endSession(session)).toBe('revoked')

    expect(await introspect(access)).toEqual({ active: false })
    expect((await userinfo(access)).status).toBe(401)
  })

  it('stay active if they were granted with offline_access', async () => {
    await start()
    const tokens = await obtainTokens(site)
    expect(decodeJwt(tokens['access_token'] ?? '')).not.toHaveProperty('session')

    await site.server.endSession(session)

    expect((await introspect(tokens['access_token']))['active']).toBe(true)
    const refreshed = await token(site, { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] })
    expect(refreshed.status).toBe(200)
  })

  it('are revoked even with offline_access when all tokens are bound to sessions', async () => {
    await start({ sessionBoundTokens: 'all' })
    const tokens = await obtainTokens(site)
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] }
    const refreshed = await token(site, refresh)
    expect(decodeJwt(String(refreshed.json['access_token']))['session']).toBe(session)

    await site.server.endSession(session)

    expect(await introspect(String(refreshed.json['access_token']))).toEqual({ active: false })
    expect(await introspect(String(refreshed.json['refresh_token']))).toEqual({ active: false })
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      {
        send: () => token(site, { ...refresh, refresh_token: String(refreshed.json['refresh_token']) }),
        reason: 'refresh_token_unknown',
      },
    )
  })

  it('stay active when no tokens are bound to sessions', async () => {
    await start({ sessionBoundTokens: 'none' })
    const { access_token: access } = await obtainTokens(site, online)

    await site.server.endSession(session)

    expect((await introspect(access))['active']).toBe(true)
  })
})

describe('a code of an ended session', () => {
  it('is refused, and issues nothing (OIDC Back-Channel Logout 1.0 §2.7)', async () => {
    await start()
    // Uses the secret of the client, so that the refused request does not store its first use.
    await obtainTokens(site, online)
    const code = await obtainCode(site, online)
    await site.server.endSession(session)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_grant' },
      { send: () => redeem(site, code), reason: 'session_ended', storage: 'codes may change' },
    )
  })

  it('is redeemed when it was granted for offline access', async () => {
    await start()
    const code = await obtainCode(site, { scope: 'openid offline_access' })
    await site.server.endSession(session)

    expect((await redeem(site, code)).status).toBe(200)
  })
})

describe('an authorization request in an ended session', () => {
  it('leads to the sign-in page, and stores neither a code nor a participant', async () => {
    await start()
    await obtainCode(site, online)
    await site.server.endSession(session)
    const codes = site.dump()

    const reply = await authorize(site, { ...online, client_id: 'A' })

    expect(reply.location.pathname).toBe('/login')
    expect(site.dump()).toBe(codes)
  })

  it('is refused with prompt=none (OIDC Core §3.1.2.6)', async () => {
    await start()
    await obtainCode(site, online)
    await site.server.endSession(session)

    const reply = await authorize(site, { ...online, prompt: 'none' })

    expect(reply.location.searchParams.get('error')).toBe('login_required')
    expect(site.lastReason()).toBe('login_required')
  })

  it('leads to the sign-in page when the session ends while the user consents, and can be completed afterwards', async () => {
    await start()
    const started = await authorize(site, online)
    await site.server.endSession(session)

    const answered = await answerInteraction(site, started, 'scope=openid&scope=profile')

    expect(answered.location.pathname).toBe('/login')
    expect(await site.storage.sessions.participants(sessionId(session))).toEqual([])
    const again = `subject=U1&auth_time=${site.clock.now()}&scope=openid&scope=profile`
    const done = await answerInteraction(site, started, again)
    expect(done.location.searchParams.has('code')).toBe(true)
  })

  it('leads to the sign-in page even if this server never saw the session before it ended', async () => {
    await start()
    expect([await site.server.endSession(session), await site.server.endSession(session)]).toEqual([
      'revoked',
      'unchanged',
    ])

    const started = await authorize(site, online)
    const answered = await answerInteraction(site, started, 'scope=openid&scope=profile')

    expect(answered.location.pathname).toBe('/login')
  })
})

it('refuses a session identifier that the host has used for another user, and issues no code', async () => {
  await start({ signedIn: async () => ({ subject: 'U1', authTime: site.clock.now(), sessionId: 'shared' }) })
  await site.storage.sessions.join({
    session: {
      sessionId: sessionId('shared'),
      userId: userId('U9'),
      userGeneration: 0,
      authTime: site.clock.now(),
      acr: undefined,
      amr: [],
      userAgent: undefined,
      location: undefined,
      keptUntil: epochSeconds(site.clock.now() + 60),
    },
    clientId: clientId('A'),
    now: site.clock.now(),
  })

  const answered = await answerInteraction(site, await authorize(site, online), 'scope=openid&scope=profile')

  expect([answered.status, site.lastReason()]).toEqual([500, 'session_of_another_user'])
  expect(answered.header('location')).toBeUndefined()
})

it('records the client that receives a code, and the browser and location of the session', async () => {
  let sid = 'before'
  await start({
    signedIn: () => Promise.resolve({ subject: 'U1', authTime: site.clock.now(), sessionId: sid, location: 'Zürich' }),
  })
  await obtainCode(site, online)
  sid = session

  await authorize(site, online, { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/133.0' })

  const now = site.clock.now()
  expect(await site.storage.sessions.participants(sessionId(session))).toEqual([
    { sessionId: session, clientId: 'A', firstAt: now, lastAt: now },
  ])
  expect(await site.storage.sessions.find(sessionId(session))).toMatchObject({
    userId: 'U1',
    digest: undefined,
    userAgent: 'Firefox on Windows',
    location: 'Zürich',
  })
})

it('lists the sessions of a user with their clients, and ends all but the current one', async () => {
  let sid = 's1'
  await start({ signedIn: () => Promise.resolve({ subject: 'U1', authTime: site.clock.now(), sessionId: sid }) })
  for (sid of ['s1', 's2', 's3']) await obtainCode(site, online)
  const listed = await site.server.listSessions('U1')

  const ended = await site.server.endSessions('U1', { reason: 'user', except: 's2' })

  expect(listed.map(({ sessionId: id }) => id).toSorted()).toEqual(['s1', 's2', 's3'])
  expect(listed[0]?.clients).toMatchObject([{ clientId: 'A' }])
  expect(ended).toBe(2)
  expect(await site.server.listSessions('U1')).toMatchObject([{ sessionId: 's2' }])
  expect(await site.server.listSessions('U2')).toEqual([])
})

it.each<
  readonly [
    string,
    (server: Record<'endSession' | 'endSessions', (...given: unknown[]) => Promise<unknown>>) => Promise<unknown>,
  ]
>([
  ['session', (server) => server.endSession(undefined)],
  ['session', (server) => server.endSession('')],
  ['reason', (server) => server.endSession('s1', 'stolen')],
  ['subject', (server) => server.endSessions(undefined)],
  ['excpt', (server) => server.endSessions('U1', { excpt: 's1' })],
])('says that the %s of a call of the host is missing, unknown or impossible, and ends nothing', async (name, call) => {
  await start()
  await obtainCode(site, online)
  const before = site.dump()

  await expect(call(site.server as never)).rejects.toThrow(new RegExp(`^endSessions?: ${name} `))

  expect(site.dump()).toBe(before)
})

it('ends every session of a user, and emits an event for each', async () => {
  await start()
  const { access_token: access } = await obtainTokens(site, online)

  expect([
    await site.server.endSessions('U1', { reason: 'administrator' }),
    await site.server.endSessions('U1'),
  ]).toEqual([1, 0])

  expect(await introspect(access)).toEqual({ active: false })
  const ends = site.events.filter(({ type }) => type === 'session.ended')
  expect(ends).toMatchObject([{ sessionId: session, reason: 'administrator' }])
})
