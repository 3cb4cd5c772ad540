import { type InteractionPage, limitSignIns, logEvents, registerClient, type ServerEvent } from '@mintmark/core'
import { epochSeconds } from '@mintmark/storage-interface'
import { createResourceServer, protectFetch } from '@mintmark/resource-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  authorize,
  basic,
  browserCookie,
  browserCookies,
  type Change,
  encode,
  obtainCode,
  obtainTokens,
  postForm,
  redeem,
  token,
} from '../support/flow.ts'
import { plainPost } from '../support/plain-request.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// The developer of a client sees a short answer, which must not help an attacker. The log has to say what to do.
let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
})
afterAll(() => site.close())

/** Returns the lines that `logEvents(console)` prints. */
const linesOf = (events: readonly ServerEvent[]): string => {
  const lines: string[] = []
  const write = (line: unknown): void => void lines.push(String(line))
  const listener = logEvents({ ...console, info: write, warn: write, error: write })
  for (const event of events) void listener(event)
  return lines.join('\n')
}

it.each<readonly [mistake: string, make: () => Promise<unknown>, advice: string]>([
  [
    'a client that does not exist',
    () => authorize(site, { client_id: 'a' }),
    '`mintmark client list` shows the clients',
  ],
  [
    'a redirect URI with a slash too many',
    () => authorize(site, { redirect_uri: 'https://app.test/cb/' }),
    'requested https://app.test/cb/, registered https://app.test/cb. Send a registered redirect URI, character by character',
  ],
  ['no PKCE in a public client', withoutPkce, 'Turn on PKCE with S256 in the client'],
  [
    'PKCE with plain',
    () => authorize(site, { code_challenge_method: 'plain' }),
    'Use PKCE with S256: plain is not accepted',
  ],
  [
    'the token response type',
    () => authorize(site, { response_type: 'token', code_challenge: undefined, code_challenge_method: undefined }),
    'Use response_type=code',
  ],
  [
    'an API that the server does not know',
    () => authorize(site, { resource: 'https://orders.test' }),
    'refused resource https://orders.test',
  ],
  [
    'the password grant',
    () => token(site, { grant_type: 'password' }),
    'A, requested password. Turn the grant on in the options of the server. The grants password and implicit do not exist',
  ],
  [
    'a browser without the cookie of the sign-in, which a Secure cookie on http or a proxy causes',
    () => postSignInWithoutCookie(),
    'is the issuer the URL that the browser sees, with https, and do all processes share one storage',
  ],
  [
    'a consent page that forgets what the user allowed',
    completeWithoutDecision,
    '(scopes_undecided): A. The consent page called complete without grantedScopes. Pass the scope values that the user allowed, or call deny',
  ],
  [
    'a sign-in page that reports an earlier sign-in although the client demands a new one',
    () => completeSignIn({ prompt: 'login' }, -100),
    'sign_in.insufficient: U1 has signed in for A, and must sign in again: the request demands a new sign-in, and authTime is of an earlier one',
  ],
  [
    'a sign-in page on a machine whose clock is ahead',
    () => completeSignIn({ prompt: 'login' }, 3600),
    'authTime is ahead of the clock of this server. Synchronize the clocks',
  ],
  [
    'a sign-in of another user than the client expects',
    () => completeSignIn({ claims: JSON.stringify({ id_token: { sub: { value: 'U2' } } }) }, 0),
    'U1 has signed in for A, and must sign in again: the request is for another user',
  ],
  [
    'a wrong secret',
    () => token(site, { grant_type: 'authorization_code' }, { authorization: basic('A', 'wrong') }),
    '(client_credentials_wrong): A. The secret is wrong or has expired. `mintmark client secret rotate` creates a new one',
  ],
  [
    'JSON at the token endpoint',
    () => postForm(site, '/token', '{}', { 'content-type': 'application/json' }),
    'Send the parameters as application/x-www-form-urlencoded, not as JSON',
  ],
  [
    'a code that is redeemed twice',
    async () => {
      const code = await obtainCode(site)
      await redeem(site, code)
      await redeem(site, code)
    },
    'Redeem it once, then redirect to another page',
  ],
  [
    'the verifier of another sign-in',
    async () => redeem(site, await obtainCode(site), { code_verifier: 'v'.repeat(43) }),
    'Keep the code_verifier of each sign-in until its callback',
  ],
  [
    'another redirect URI at the token endpoint',
    async () => redeem(site, await obtainCode(site), { redirect_uri: 'https://app.test/other' }),
    'at the token endpoint, send the one of the authorization request',
  ],
  ['a refresh token of another client', refreshOfAnotherClient, 'Use the client that received it'],
  [
    'a grant that the client is not registered for',
    () => token(site, { grant_type: 'client_credentials' }),
    'requested client_credentials. Add the grant type to the registration of the client',
  ],
  [
    'a page on another origin (CORS)',
    fromAnotherOrigin,
    'http://127.0.0.1:5173 is the origin of no redirect URI of page, so its pages cannot read the response. If they belong to the client, register a redirect URI there',
  ],
])('the mistake of %s is logged with what to do', async (_mistake, make, advice) => {
  const before = site.events.length

  await make()

  expect(linesOf(site.events.slice(before))).toContain(advice)
})

async function completeWithoutDecision(): Promise<unknown> {
  const { pending, request } = await openPage({ prompt: 'consent' })
  return pending.complete({}).catch((error: unknown) => site.server.renderError(error, request))
}

/** Completes a sign-in whose time differs from now by some seconds. */
async function completeSignIn(change: Change, seconds: number): Promise<unknown> {
  const { pending } = await openPage(change)
  const authTime = epochSeconds(site.clock.now() + seconds)
  return pending.complete({ subject: 'U1', sessionId: 'session', authTime })
}

/** Starts an interaction, and opens its page as the host does when the user submits the form. */
async function openPage(change: Change) {
  const started = await authorize(site, change)
  const { pathname, search } = started.location
  const headers = { cookie: browserCookies(started), origin: site.issuer }
  const request = plainPost(site.issuer, pathname + search, { body: 'decision=allow', headers })
  return { request, pending: await site.server.interaction(request) }
}

async function withoutPkce(): Promise<unknown> {
  await registerPublicClient()
  return authorize(site, {
    client_id: 'page',
    redirect_uri: 'http://localhost:5173/cb',
    scope: 'openid',
    code_challenge: undefined,
    code_challenge_method: undefined,
  })
}

const registerPublicClient = (): Promise<unknown> =>
  registerClient(
    {
      clientId: 'page',
      clientName: 'Page',
      tokenEndpointAuthMethod: 'none',
      redirectUris: ['http://localhost:5173/cb'],
    },
    { storage: site.storage },
  ).catch(() => 'registered before')

async function postSignInWithoutCookie(): Promise<unknown> {
  const started = await authorize(site, {}, { cookie: '' })
  expect(browserCookie(started)).not.toBe('')
  const { pathname, search } = started.location
  return site.send({ path: pathname + search })
}

async function refreshOfAnotherClient(): Promise<unknown> {
  const tokens = await obtainTokens(site, { scope: 'openid offline_access' })
  const form = { grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] }
  return token(site, { ...form, client_id: 'X', client_secret: site.clients.X.secret }, { authorization: '' })
}

async function fromAnotherOrigin(): Promise<unknown> {
  await registerPublicClient()
  const form = encode({ grant_type: 'authorization_code', client_id: 'page', code: 'x' })
  return postForm(site, '/token', form, { origin: 'http://127.0.0.1:5173' })
}

it('a sign-in that another process keeps in its memory is logged with what to do', async () => {
  const complete: InteractionPage = (pending) => pending.complete({ subject: 'U1', authTime: 1_790_000_000 })
  const pages = { login: complete, consent: complete }
  const [first, second] = [await startServer({ pages }), await startServer({ pages })]
  const started = await authorize(first, {}, { cookie: '' })
  const headers = { cookie: browserCookie(started) }
  const pathOf = ({ pathname, search }: URL): string => pathname + search
  const signedIn = await first.send({ path: pathOf(started.location), headers })
  expect(signedIn.location.pathname).toBe('/consent')

  const lost = await second.send({ path: pathOf(signedIn.location), headers })
  await first.send({ path: pathOf(signedIn.location), headers })

  expect(lost.location.pathname).toBe('/login')
  expect(linesOf(second.events)).toMatch(/sign_in\.lost: .* for A, .*give all of them one database/)
  expect(linesOf(first.events)).not.toContain('sign_in.lost')
  await Promise.all([first.close(), second.close()])
})

it('a proxy without the setting for it is logged with what to do', async () => {
  const events: ServerEvent[] = []
  const limit = limitSignIns({ onEvent: (event) => void events.push(event) })
  for (let person = 0; person < 60; person += 1) await limit({ account: `person${person}`, address: '10.0.0.1' })

  expect(linesOf(events)).toContain("Behind a proxy, pass the browser's address to limitSignIns")
})

describe('at an API', () => {
  it.each<readonly [mistake: string, change: object, advice: string]>([
    [
      'another audience',
      { audience: 'https://other.test' },
      'Set audience to the key of this API in the option resources of the authorization server',
    ],
    ['another issuer', { issuer: 'https://other.test' }, 'Set issuer exactly as in the options'],
    ['a clock that is behind', { clock: () => (site.clock.now() - 60) * 1000 }, 'Synchronize the clocks'],
    ['an ID token', { presents: 'id_token' }, 'Send the access token, not the ID token'],
  ])(
    'the mistake of %s is logged with what to do',
    async (_mistake, { presents = 'access_token', ...change }: { presents?: string }, advice) => {
      const messages: string[] = []
      const tokens = await obtainTokens(site)
      const api = createResourceServer({
        issuer: site.issuer,
        audience: site.issuer,
        clock: () => site.clock.now() * 1000,
        fetch: async () => Response.json((await site.send({ path: '/jwks' })).json),
        onRefusal: ({ message }) => void messages.push(message),
        ...change,
      })
      const handler = protectFetch(api).requireAnyToken(() => new Response())

      await handler(new Request('https://api.test/', { headers: { authorization: `Bearer ${tokens[presents]}` } }))

      expect(messages.join()).toContain(advice)
    },
  )
})
