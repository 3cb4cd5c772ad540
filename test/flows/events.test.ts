import { userId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'

import {
  answerInteraction,
  authorize,
  encode,
  obtainCode,
  obtainTokens,
  postForm,
  redeem,
  token,
} from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

it('records one event for each action, with the granted values instead of the requested ones', async () => {
  const before = site.events.length

  const started = await authorize(site, { scope: 'openid profile email' })
  const back = await answerInteraction(site, started, 'scope=openid&scope=email')
  await redeem(site, back.location.searchParams.get('code') ?? '')

  const granted = ['openid', 'email']
  expect(site.events.slice(before)).toMatchObject([
    { type: 'interaction.started', kind: 'consent', clientId: 'A' },
    { type: 'code.issued', clientId: 'A', userId: 'U1', scopes: granted },
    { type: 'tokens.issued', clientId: 'A', subject: 'U1', grantType: 'authorization_code', scopes: granted },
  ])
})

it('a server without pages reports once where it sent a user, unless a route of the host serves the page', async () => {
  const missing = { type: 'pages.missing', url: `${site.issuer}/login` }
  const withoutPages = await startServer({ interaction: {} })
  onTestFinished(() => withoutPages.close())

  for (const at of [withoutPages, site]) for (let time = 0; time < 2; time += 1) await authorize(at, {}, { cookie: '' })

  expect(withoutPages.events.filter(({ type }) => type === 'pages.missing')).toMatchObject([missing])
  expect(site.events.filter(({ type }) => type === 'pages.missing')).toEqual([])
})

it('a client that uses another authentication method gets the usual error, and the event names both methods (RFC 6749 §2.3)', async () => {
  const reply = await postForm(site, '/token', 'grant_type=client_credentials&client_id=M&client_secret=x', {})

  expect(reply.json).toEqual({ error: 'invalid_client', error_description: 'Client authentication failed.' })
  expect(site.events.at(-1)).toMatchObject({
    type: 'request.refused',
    reason: 'client_authentication_method',
    context: { clientId: 'M', registeredMethod: 'client_secret_basic', presentedMethod: 'client_secret_post' },
  })
})

it("for an unknown user the client receives access_denied and the host's event says why (OIDC Core §3.1.2.6)", async () => {
  const started = await authorize(site, { prompt: 'login' }, { cookie: '' })

  const back = await answerInteraction(site, started, `subject=nobody&auth_time=${site.clock.now()}`)

  expect(back.location.searchParams.get('error')).toBe('access_denied')
  expect(site.events.at(-1)).toMatchObject({
    type: 'interaction.denied',
    clientId: 'A',
    userId: 'nobody',
    reason: 'user_unknown',
  })
})

it("a deactivated user reads why on the host's own page, and no code is issued (RFC 6749 §4.1.2.1)", async () => {
  const started = await authorize(site, { prompt: 'login' }, { cookie: '' })
  const signIn = `subject=U2&auth_time=${site.clock.now()}`

  const page = await answerInteraction(site, started, signIn)

  expect([page.status, page.header('location')]).toEqual([403, undefined])
  expect(page.text).toContain('Your account is deactivated.')
  expect(site.events.slice(-2)).toMatchObject([
    { type: 'interaction.denied', clientId: 'A', reason: 'user_inactive' },
    { type: 'request.refused', code: 'access_denied', reason: 'user_inactive' },
  ])
  // A second press shows the same page.
  expect((await answerInteraction(site, started, signIn)).status).toBe(403)
})

it('the event of a wrong code_verifier names the client (RFC 7636 §4.6)', async () => {
  const code = await obtainCode(site)

  await redeem(site, code, { code_verifier: 'x'.repeat(43) })

  expect(site.events.at(-1)).toMatchObject({ reason: 'code_verifier_mismatch', context: { clientId: 'A' } })
})

it('the event of a rejected refresh token names the client that sent it, and the user only if the token belongs to that client', async () => {
  const { refresh_token } = await obtainTokens(site)
  const refresh = { grant_type: 'refresh_token', refresh_token }

  await postForm(site, '/token', encode({ ...refresh, client_id: 'P' }), {})
  const stranger = lastContext()
  await site.storage.users.deactivate(userId('U1'), site.clock.now())
  await token(site, refresh)

  expect(stranger).toEqual({ clientId: 'P' })
  expect(lastContext()).toEqual({ clientId: 'A', userId: 'U1', familyId: expect.any(String) as string })
})

const lastContext = () =>
  site.events.flatMap((event) => (event.type === 'request.refused' ? [event.context] : [])).at(-1)

it.each([
  ['a page', () => site.send({ path: '/auth?client_id=nobody' })],
  ['JSON', () => postForm(site, '/token', 'grant_type=x', { 'x-correlation-id': 'chosen', 'x-request-id': 'chosen' })],
  ['a challenge', () => site.send({ path: '/userinfo', headers: { authorization: 'Bearer x' } })],
  ['a redirect', () => authorize(site, { prompt: 'none' }, { cookie: '' })],
])(
  'a refusal with %s has the correlationId of its events in X-Correlation-Id, whatever the request sends in this header',
  async (_kind, send) => {
    const reply = await send()

    expect(reply.header('x-correlation-id')).toMatch(/^\w[\w-]{21}$/)
    expect(site.events.at(-1)).toMatchObject({
      type: 'request.refused',
      correlationId: reply.header('x-correlation-id'),
    })
  },
)

it('a response that is not a refusal has no X-Correlation-Id', async () => {
  const reply = await site.send({ path: '/jwks' })

  expect([reply.status, reply.header('x-correlation-id')]).toEqual([200, undefined])
})

it.each([
  [
    'an unregistered redirect URI, without its query',
    { redirect_uri: 'https://app.test/cb/?token=secret' },
    'redirect_uri_mismatch',
    { requestedRedirectUri: 'https://app.test/cb/', nearestRedirectUri: 'https://app.test/cb' },
  ],
  [
    'a scope value that the client lacks',
    { scope: 'api.write' },
    'scope_not_allowed',
    { refusedScopes: ['api.write'] },
  ],
  [
    'an unknown resource',
    { resource: 'https://unknown.test/?key=secret' },
    'resource_unknown',
    { refusedResources: ['https://unknown.test/'] },
  ],
  ['a wrong response type', { response_type: 'token' }, 'response_type_unsupported', {}],
])(
  'the event of an authorization request with %s names the client and the value (RFC 6749 §4.1.2.1)',
  async (_case, change, reason, value) => {
    await authorize(site, change)

    const event = site.events.at(-1)
    expect(event).toMatchObject({ type: 'request.refused', reason, context: { clientId: 'A', ...value } })
    expect(JSON.stringify(event)).not.toContain('secret')
  },
)
