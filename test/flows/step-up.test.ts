import { createResourceServer, protectFetch, type ResourceServer } from '@mintmark/resource-server'
import { describe, expect, it, onTestFinished } from 'vitest'

import { authorize, basic, encode, obtainCode, postForm, redeem } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { tokensOf } from '../support/token-calls.ts'

type RequiredAuthentication = Parameters<ResourceServer['requireAuthentication']>[0]

const acrRanks = ['pwd', 'mfa', 'phr']
const scope = 'openid api.read'

async function start(options: Parameters<typeof startServer>[0] = { acrRanks }): Promise<ServerUnderTest> {
  const site = await startServer(options)
  onTestFinished(() => site.close())
  return site
}

/** Creates an API that ranks contexts as the server does, and guards one operation. */
function apiOf(site: ServerUnderTest, required: RequiredAuthentication, ranks: readonly string[] = acrRanks) {
  const reasons: string[] = []
  const api = createResourceServer({
    issuer: site.issuer,
    audience: 'https://api.test',
    acrRanks: ranks,
    clock: () => site.clock.now() * 1000,
    fetch: (url, init) =>
      globalThis.fetch(
        `http://127.0.0.1:${site.port}${new URL(url instanceof Request ? url.url : url).pathname}`,
        init,
      ),
    onRefusal: ({ reason }) => void reasons.push(reason),
  })
  const guarded = protectFetch(api).requireAuthentication(required, ['api.read'], () => Response.json({ paid: true }))
  const call = (accessToken: string): Promise<Response> =>
    guarded(new Request('https://api.test/pay', { headers: { authorization: `Bearer ${accessToken}` } }))
  return { call, reasons }
}

const session = (site: ServerUnderTest, acr: string, secondsAgo = 5) => ({
  cookie: `host=U1.${site.clock.now() - secondsAgo}.${acr}`,
})

/** Signs in and returns an access token. */
async function tokenOf(
  site: ServerUnderTest,
  headers: ReturnType<typeof session>,
  change: Readonly<Record<string, string>> = {},
): Promise<string> {
  const code = await obtainCode(site, { scope, resource: 'https://api.test', ...change }, headers)
  return tokensOf(await redeem(site, code)).access_token
}

/** Reads the parameters of the challenge that a client sends to the authorization server (RFC 9470 §4). */
function challengeOf(reply: Response): Readonly<Record<string, string>> {
  const challenge = reply.headers.get('www-authenticate') ?? ''
  const parameters = [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value])
  return Object.fromEntries(parameters) as Record<string, string>
}

describe('step-up authentication', () => {
  it('leads from the challenge of the API to a stronger sign-in and back (RFC 9470 §3, §4, §5)', async () => {
    const site = await start()
    const { call, reasons } = apiOf(site, { acrValues: ['mfa'], maxAge: 300 })
    const weak = await tokenOf(site, session(site, 'pwd'))

    const refused = await call(weak)

    expect(refused.status).toBe(401)
    expect(reasons).toEqual(['authentication_insufficient'])
    const { error, acr_values, max_age } = challengeOf(refused)
    expect({ error, acr_values, max_age }).toEqual({
      error: 'insufficient_user_authentication',
      acr_values: 'mfa',
      max_age: '300',
    })
    const wish = { acr_values: acr_values ?? '', max_age: max_age ?? '' }
    const request = { scope, resource: 'https://api.test', ...wish }
    expect((await authorize(site, request, session(site, 'pwd'))).location.pathname).toBe('/login')
    const strong = await tokenOf(site, session(site, 'phr'), wish)
    expect((await call(strong)).status).toBe(200)
  })

  it.each([
    ['pwd', {}],
    ['mfa', { acr_values: 'mfa' }],
    ['phr', { acr_values: 'mfa' }],
    ['pwd', { acr_values: 'unranked' }],
  ])('does not ask a user with the context %s to sign in again for %j (RFC 9470 §5)', async (acr, wish) => {
    const site = await start()

    const reply = await authorize(site, wish, session(site, acr))

    expect(reply.location.pathname).not.toBe('/login')
  })

  it('treats acr_values as a preference without ranks (OIDC Core §3.1.2.1)', async () => {
    const site = await start({})

    expect((await authorize(site, { acr_values: 'mfa' }, session(site, 'pwd'))).location.pathname).not.toBe('/login')
  })

  it('cannot ask anybody to sign in with prompt=none (OIDC Core §3.1.2.6)', async () => {
    const site = await start()

    const reply = await authorize(site, { acr_values: 'mfa', prompt: 'none' }, session(site, 'pwd'))

    expect(reply.location.searchParams.get('error')).toBe('login_required')
  })

  it('accepts a stronger context only if the API ranks it (RFC 9470 §3)', async () => {
    const site = await start()
    const strong = await tokenOf(site, session(site, 'phr'))
    const unranked = apiOf(site, { acrValues: ['mfa'] }, [])

    expect((await apiOf(site, { acrValues: ['mfa'] }).call(strong)).status).toBe(200)
    expect((await unranked.call(strong)).status).toBe(401)
    expect(unranked.reasons).toEqual(['authentication_insufficient'])
  })

  it('refuses a sign-in that is too old, and tolerates the difference of the clocks (RFC 9470 §3)', async () => {
    const site = await start()
    const { call, reasons } = apiOf(site, { maxAge: 60 })

    expect((await call(await tokenOf(site, session(site, 'pwd', 70)))).status).toBe(200)
    expect((await call(await tokenOf(site, session(site, 'pwd', 71)))).status).toBe(401)
    expect(reasons).toEqual(['authentication_too_old'])
  })

  it('tells an API that introspects a token the context and the time of the sign-in (RFC 9470 §6.2)', async () => {
    const site = await start()
    const token = await tokenOf(site, session(site, 'mfa'))

    const { json } = await postForm(site, '/token/introspection', encode({ token }), {
      authorization: basic('A', site.clients.A.secret),
    })

    expect(json).toMatchObject({ active: true, acr: 'mfa', auth_time: site.clock.now() - 5 })
  })

  it('publishes the ranked contexts (OIDC Discovery §3)', async () => {
    const site = await start()

    const metadata = await site.send({ path: '/.well-known/openid-configuration' })

    expect(metadata.json).toMatchObject({ acr_values_supported: acrRanks })
  })

  it.each([
    [{}, 'needs acrValues or maxAge'],
    [{ acr: 'mfa' }, 'acr is not acrValues or maxAge'],
    [{ acrValues: [] }, 'acrValues must be a list'],
    [{ acrValues: ['a b'] }, 'acrValues must be a list'],
    [{ maxAge: -1 }, 'maxAge must be a whole number'],
    [{ maxAge: 1.5 }, 'maxAge must be a whole number'],
  ])('does not start with the requirement %j', async (required, message) => {
    const site = await start()

    expect(() => apiOf(site, required as RequiredAuthentication)).toThrow(message)
  })
})
