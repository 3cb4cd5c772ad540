import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { callbackOf, changeAnswer, openBrowser, type Landing } from './user-browser.ts'
import { openWebApp, type WebApp } from './web-app.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startLoopbackServer()
})
afterAll(() => site.close())

describe("better-auth's generic OAuth client", () => {
  it('signs a user in with PKCE and client_secret_post, checking nonce and signature (OIDC Core §3.1, §3.1.3.7)', async () => {
    const app = await openApp()

    const { session } = await signIn(app)

    expect(session.json['user']).toMatchObject({ name: 'Ann Lee', email: 'ann@example.test', emailVerified: true })
  })

  it('a client_id that needs encoding works with client_secret_basic (RFC 6749 §2.3.1)', async () => {
    const app = await openApp('web:app/100%+1')

    const { session } = await signIn(app)

    expect(session.json['user']).toMatchObject({ name: 'Ann Lee' })
  })

  it('rejects a response with another issuer and starts no session (RFC 9207 §2.4)', async () => {
    const app = await openApp()

    const { landing, session } = await signIn(app, changeAnswer('iss', 'https://evil.test'))

    expect(landing.url.searchParams.get('error')).toBe('issuer_mismatch')
    expect(session.text).toBe('null')
  })

  it('a user who lost the state cookie gets an error page (RFC 6749 §10.12)', async () => {
    const app = await openApp()
    const { landing } = await signIn(app)

    const stranger = await openBrowser(site).open(callbackOf(landing).href)

    expect(stranger.url.searchParams.get('error')).toBe('state_mismatch')
    expect(stranger.trail).toHaveLength(2)
  })
})

/** Requests the sign-in URL from the application, as its script does, and opens it. */
async function signIn(app: WebApp, tamper?: (url: URL) => URL): Promise<SignedIn> {
  const browser = openBrowser(site, tamper)
  const body = JSON.stringify({ provider: 'mintmark', callbackURL: `${app.origin}/api/auth/ok` })
  const started = await browser.submit(`${app.origin}/api/auth/sign-in/social`, body)
  const landing = await browser.open(String(started.json['url']))
  return { landing, session: await browser.open(`${app.origin}/api/auth/get-session`) }
}

/** The final URL of the browser, and the application's session. */
interface SignedIn {
  readonly landing: Landing
  readonly session: Landing
}

async function openApp(clientId?: string): Promise<WebApp> {
  const method = clientId === undefined ? 'client_secret_post' : 'client_secret_basic'
  const app = await openWebApp(site, {
    callback: '/api/auth/callback/mintmark',
    tokenEndpointAuthMethod: method,
    ...(clientId !== undefined && { clientId }),
  })
  onTestFinished(() => app.close())
  const auth = betterAuth({
    baseURL: app.origin,
    secret: 'of the test, which has to be long enough for it',
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [
      genericOAuth({
        config: [
          {
            providerId: 'mintmark',
            discoveryUrl: `${site.issuer}/.well-known/openid-configuration`,
            clientId: app.clientId,
            clientSecret: app.clientSecret,
            scopes: ['openid', 'profile', 'email'],
            pkce: true,
            requireIdTokenVerification: true,
            tokenEndpointAuth: { method },
          },
        ],
      }),
    ],
  })
  const handle = toNodeHandler(auth)
  app.serve((request, response) => void handle(request, response))
  return app
}
