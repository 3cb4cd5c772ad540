import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  createCookieSessions,
  createAuthorizationServer,
  createMemoryRateLimiter,
  createStoredKeys,
  type AuthorizationServer,
  type ServerEvent,
} from '@mintmark/core'
import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import { consentPage, readConsentForm, readSignInForm, signInPage } from '@mintmark/pages'
import { clientId, epochSeconds, grantId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { hostileRequest, type GoodRequest } from '../arbitraries/hostile-request.ts'
import { registerFixtureClients } from '../support/fixture-clients.ts'
import { baseRequest, basic, verifier } from '../support/flow.ts'
import { plainRequest } from '../support/plain-request.ts'
import { rounds } from '../support/rounds.ts'

const issuer = 'https://as.test'
const now = epochSeconds(1_790_000_000)

it('law: no input causes a server error, on memory', async () => {
  await noInputIsAServerError(createMemoryStorage({ issuer }), rounds({ fast: 1250, long: 10_000 }))
})

it('law: no input causes a server error, on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-hostile-'))
  const dialect = openSqliteDialect(join(folder, 'mintmark.db'), { migrate: 'on-open' })
  await noInputIsAServerError(await createSqlStorage({ issuer, dialect }), rounds({ fast: 625, long: 5000 }))
  await dialect.close()
  rmSync(folder, { recursive: true })
})

async function noInputIsAServerError(storage: AdminStorage, numRuns: number): Promise<void> {
  const { server, good, events } = await aServer(storage)
  const answered = new Set<number>()

  const law = fc.asyncProperty(hostileRequest(issuer, good), async (request) => {
    const before = process.cpuUsage()
    const response = await server.handle(request)
    const { user, system } = process.cpuUsage(before)

    answered.add(response.status)
    expectHarmless(response, request.url.pathname)
    expect(
      events.splice(0).filter((event) => event.type === 'request.refused' && event.reason === 'unexpected_failure'),
    ).toEqual([])
    // In microseconds over all threads: far more than any request takes, far less than an attack would.
    expect(user + system).toBeLessThan(250_000)
  })
  await fc.assert(law, { numRuns })

  // The requests reached the endpoints, which answered with all of these statuses. Few requests may not meet the rarer ones.
  const rare = numRuns < 2000 ? [] : [404]
  expect([...answered]).toEqual(expect.arrayContaining([200, 303, 400, 401, 403, 405, ...rare]))
}

function expectHarmless({ status, headers, body = '' }: ServerResponse, path: string): void {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)

  expect(status).toBeLessThan(500)
  expect(headers.filter(([name, value]) => !/^[\w-]+$/.test(name) || !/^[\x20-\x7E]*$/.test(value))).toEqual([])
  if (status < 400) return
  // The reference on an error page and the handle of an interaction are random.
  const fixed = text.replace(/Reference: <code>[\w-]+<\/code>/, '').replaceAll(/interaction=[\w.%-]+/g, '')
  expect(fixed).not.toMatch(/node_modules|\.ts\b|\n\s+at |SQL|Error:.*\(/)
  // The host's pages may be larger, because they include a style sheet.
  expect(new TextEncoder().encode(text).length).toBeLessThan(['/login', '/consent'].includes(path) ? 16_384 : 4096)
}

/** Starts a server with pages and sessions, and returns valid requests to it. */
async function aServer(storage: AdminStorage) {
  const events: ServerEvent[] = []
  const sessions = createCookieSessions({ storage, clock: () => now })
  const unlimited = createMemoryRateLimiter({ points: 1_000_000, window: 600 })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43), clock: () => now }),
    clock: () => now,
    signedIn: sessions.signedIn,
    scopes: { 'api.read': 'Read the API' },
    resources: { 'https://api.test': { scopes: ['api.read'], accessTokenFormat: 'opaque' } },
    rateLimits: { failedAuthentications: unlimited, startedInteractions: unlimited },
    onEvent: (event) => void events.push(event),
    pages: {
      async login(pending, request) {
        const attempt = readSignInForm(request)
        if (attempt?.password !== 'right') return signInPage({ ...pending, error: attempt && 'rejected' })
        return pending.complete({ subject: 'U1', authTime: now, amr: ['pwd'] })
      },
      async consent(pending, request) {
        if (request.method !== 'POST') return consentPage(pending)
        const { decision, grantedScopes, organization } = readConsentForm(request)
        return decision === 'allow' ? pending.complete({ grantedScopes, organization }) : pending.deny()
      },
    },
  })
  const { A, M, RS } = await registerFixtureClients(storage)
  await storage.users.insert({
    userId: userId('U1'),
    claims: { name: 'Ann Lee', email: 'ann@example.test' },
    createdAt: now,
  })
  const consent = {
    userId: userId('U1'),
    userGeneration: 0,
    scopes: ['openid', 'profile', 'offline_access', 'api.read'],
    resources: ['https://api.test'],
    createdAt: now,
  }
  await storage.grants.insert({
    ...consent,
    grantId: grantId('g1'),
    clientId: clientId('A'),
    authorizationDetails: [],
    clientDigest: undefined,
    revokedAt: undefined,
    version: 1,
  })
  const started = await sessions.start(plainRequest(issuer, { path: '/' }), { subject: 'U1', amr: ['pwd'] })

  const good = await goodRequests(server, {
    signedIn: { cookie: cookieOf(started.headers) },
    asA: { authorization: basic('A', A.secret), ...form },
    asM: { authorization: basic('M', M.secret), ...form },
    asRS: { authorization: basic('RS', RS.secret), ...form },
  })
  return { server, good, events }
}

interface Senders {
  readonly signedIn: Readonly<Record<string, string>>
  readonly asA: Readonly<Record<string, string>>
  readonly asM: Readonly<Record<string, string>>
  readonly asRS: Readonly<Record<string, string>>
}

async function goodRequests(
  server: AuthorizationServer,
  { signedIn, asA, asM, asRS }: Senders,
): Promise<readonly (readonly GoodRequest[])[]> {
  const send = (request: GoodRequest): Promise<ServerResponse> => server.handle(asSent(request))
  const several = <Made>(make: () => Promise<Made>): Promise<readonly Made[]> =>
    Promise.all(Array.from({ length: 8 }, make))

  const offline = get('/auth', { ...baseRequest, scope: 'openid profile offline_access' }, signedIn)
  const redemption = async (): Promise<GoodRequest> => {
    const code = locationOf(await send(offline)).searchParams.get('code') ?? ''
    return post(
      '/token',
      { grant_type: 'authorization_code', redirect_uri: baseRequest.redirect_uri, code_verifier: verifier, code },
      asA,
    )
  }
  const tokens = await several(
    async () => JSON.parse(String((await send(await redemption())).body)) as Record<string, string>,
  )
  const [{ access_token = '', refresh_token = '', id_token = '' } = {}, ...others] = tokens
  const interaction = async (asked: GoodRequest): Promise<Interaction> => {
    const started = await send(asked)
    const { pathname, search } = locationOf(started)
    return { path: pathname + search, headers: { cookie: cookieOf(started.headers), origin: issuer, ...form } }
  }
  const logins = await several(() => interaction(get('/auth', baseRequest, {})))
  const consents = await several(() => interaction(get('/auth', { ...baseRequest, prompt: 'consent' }, signedIn)))

  const authorizations = [
    offline,
    get('/auth', baseRequest, {}),
    get(
      '/auth',
      { ...baseRequest, scope: 'openid api.read', resource: 'https://api.test', claims, response_mode: 'form_post' },
      signedIn,
    ),
    get(
      '/auth',
      { ...baseRequest, prompt: 'none', max_age: '60', id_token_hint: id_token, ui_locales: 'de en' },
      signedIn,
    ),
    get('/auth', { ...baseRequest, prompt: 'login', login_hint: 'ann', acr_values: 'a b' }, signedIn),
    get('/auth', { ...baseRequest, client_id: 'N', redirect_uri: 'http://127.0.0.1:5000/cb' }, signedIn),
    get(
      '/auth',
      { response_type: 'code', client_id: 'X', redirect_uri: 'https://x.test/cb', scope: 'openid' },
      signedIn,
    ),
    post('/auth', baseRequest, { ...signedIn, ...form }),
  ]

  return [
    // Most variants apply to this endpoint.
    authorizations,
    authorizations,
    authorizations,
    await several(redemption),
    others.map((each) =>
      post('/token', { grant_type: 'refresh_token', refresh_token: each['refresh_token'] ?? '' }, asA),
    ),
    [
      post('/token', { grant_type: 'client_credentials', scope: 'api.read', resource: 'https://api.test' }, asM),
      post(
        '/token',
        { grant_type: 'client_credentials', client_assertion: id_token, client_assertion_type: assertionType },
        form,
      ),
    ],
    [access_token, refresh_token, id_token].flatMap((token) => [
      post('/token/introspection', { token, token_type_hint: 'access_token' }, asA),
      post('/token/introspection', { token }, { ...asRS, accept: 'application/token-introspection+jwt' }),
    ]),
    others.flatMap((each) => [
      post('/token/revocation', { token: each['access_token'] ?? '' }, asA),
      post('/token/revocation', { token: each['refresh_token'] ?? '', token_type_hint: 'refresh_token' }, asA),
    ]),
    [get('/userinfo', {}, { authorization: `Bearer ${access_token}` }), post('/userinfo', { access_token }, form)],
    [...logins, ...consents].map(({ path, headers }) => get(path, {}, headers)),
    logins.map(({ path, headers }) => post(path, { username: 'ann', password: 'right' }, headers)),
    consents.map(({ path, headers }) => post(path, { decision: 'allow', scope: 'openid' }, headers)),
    ['/jwks', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].map((path) =>
      get(path, {}, {}),
    ),
  ]
}

/** Returns the URL that the browser was redirected to, with its parameters. */
interface Interaction {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const request =
  (method: string) =>
  (
    path: string,
    parameters: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
  ): GoodRequest => ({
    method,
    path,
    parameters: Object.entries(parameters),
    headers,
  })
const get = request('GET')
const post = request('POST')

function asSent({ method, path, parameters, headers }: GoodRequest): ServerRequest {
  const text = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString()
  return plainRequest(
    issuer,
    method === 'POST' ? { method, path, headers, body: text } : { method, path: `${path}?${text}`, headers },
  )
}

const headerOf = ({ headers }: ServerResponse, name: string): string =>
  headers.find(([other]) => other === name)?.[1] ?? ''
const locationOf = (response: ServerResponse): URL => new URL(headerOf(response, 'Location'))
const cookieOf = (headers: ServerResponse['headers']): string =>
  headers.flatMap(([name, value]) => (name === 'Set-Cookie' ? [value.split(';', 1)[0]] : [])).join('; ')

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const claims = '{"userinfo":{"email":null},"id_token":{"name":{"essential":true}}}'
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
