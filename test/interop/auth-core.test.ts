import { Auth, type AuthConfig } from '@auth/core'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { callbackOf, changeAnswer, openBrowser, type Landing } from './user-browser.ts'
import { openWebApp, type WebApp } from './web-app.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startLoopbackServer()
})
afterAll(() => site.close())

describe('Auth.js (@auth/core)', () => {
  it('signs a user in with client_secret_basic, PKCE, state and nonce, and keeps a session (OIDC Core §3.1)', async () => {
    const app = await openApp()

    const { landing, session } = await signIn(app)

    expect(session.json['user']).toMatchObject({ name: 'Ann Lee', email: 'ann@example.test' })
    expect(landing.trail.filter(({ pathname }) => pathname === '/auth')).toHaveLength(1)
  })

  it('a client_id that needs encoding works (RFC 6749 §2.3.1)', async () => {
    const app = await openApp('web:app/100%+1')

    const { session } = await signIn(app)

    expect(session.json['user']).toMatchObject({ name: 'Ann Lee' })
  })

  it('rejects a response with another issuer and starts no session (RFC 9207 §2.4)', async () => {
    const app = await openApp()

    const { landing, session } = await signIn(app, changeAnswer('iss', 'https://evil.test'))

    expect(landing.url.searchParams.get('error')).toBe('Configuration')
    expect(session.text).toBe('null')
  })

  it('a user who lost the state cookie gets an error page (RFC 6749 §10.12)', async () => {
    const app = await openApp()
    const { landing } = await signIn(app)

    const stranger = await openBrowser(site).open(callbackOf(landing).href)

    expect(stranger.url.searchParams.get('error')).toBe('Configuration')
    expect(stranger.trail).toHaveLength(2)
  })
})

/** Signs a user in with the button of the application's sign-in page. */
async function signIn(app: WebApp, tamper?: (url: URL) => URL): Promise<SignedIn> {
  const browser = openBrowser(site, tamper)
  const { json } = await browser.open(`${app.origin}/auth/csrf`)
  const form = new URLSearchParams({ csrfToken: String(json['csrfToken']), callbackUrl: `${app.origin}/auth/session` })
  const landing = await browser.submit(`${app.origin}/auth/signin/mintmark`, form)
  return { landing, session: await browser.open(`${app.origin}/auth/session`) }
}

/** The final URL of the browser, and the application's session. */
interface SignedIn {
  readonly landing: Landing
  readonly session: Landing
}

async function openApp(clientId?: string): Promise<WebApp> {
  const app = await openWebApp(site, {
    callback: '/auth/callback/mintmark',
    ...(clientId !== undefined && { clientId }),
  })
  onTestFinished(() => app.close())
  const config: AuthConfig = {
    basePath: '/auth',
    secret: 'of the test, long enough',
    trustHost: true,
    logger: { error: () => undefined },
    providers: [
      {
        id: 'mintmark',
        name: 'Mintmark',
        type: 'oidc',
        issuer: site.issuer,
        clientId: app.clientId,
        clientSecret: app.clientSecret,
        checks: ['pkce', 'state', 'nonce'],
      },
    ],
  }
  const listener = getRequestListener((request) => Auth(request, config), { overrideGlobalObjects: false })
  app.serve((request, response) => void listener(request, response))
  return app
}
