import type { RequestListener } from 'node:http'

import express, { type ErrorRequestHandler } from 'express'
import openidConnect, { type ConfigParams } from 'express-openid-connect'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { openTlsFront } from '../support/tls-front.ts'
import { consentInTab, openTab } from './chromium-tab.ts'
import { callbackOf, changeAnswer, openBrowser } from './user-browser.ts'
import { openWebApp, type WebApp } from './web-app.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startLoopbackServer()
})
afterAll(() => site.close())

describe('express-openid-connect', () => {
  it('protects a page, refreshes, and calls userinfo (OIDC Core §3.1)', async () => {
    const app = await openApp({})

    const landing = await openBrowser(site).open(`${app.origin}/private`)

    expect(landing.json).toMatchObject({
      user: { sub: 'U1', name: 'Ann Lee' },
      info: { sub: 'U1', email: 'ann@example.test' },
      isRefreshed: true,
    })
    expect(landing.trail.filter(({ pathname }) => pathname === '/auth')).toHaveLength(1)
  })

  it('in Chromium its state cookie survives the cross-site POST (Form Post Response Mode §2)', async () => {
    const front = await openTlsFront()
    const app = await openApp({ response_mode: 'form_post' }, { origin: front.origin })
    front.forwardTo(app.port)
    const browser = await launchChromium()
    onTestFinished(async () => {
      await browser.close()
      await front.close()
    })
    const page = await openTab(browser, site)
    const requests: string[] = []
    page.on('request', (request) => void requests.push(`${request.method()} ${new URL(request.url()).pathname}`))

    await page.goto(`${front.origin}/private`)
    await consentInTab(page)
    await page.waitForURL(`${front.origin}/private`)

    expect(JSON.parse(await page.innerText('body'))).toMatchObject({ user: { sub: 'U1' } })
    const expected = ['GET /private', 'GET /auth', 'GET /consent', 'POST /consent', 'POST /callback', 'GET /private']
    expect(requests.filter((line) => line !== 'GET /favicon.ico')).toEqual(expected)
  })

  it('a client_id that needs encoding works with client_secret_basic (RFC 6749 §2.3.1)', async () => {
    const app = await openApp({}, { clientId: 'web:app/100%+1' })

    const landing = await openBrowser(site).open(`${app.origin}/private`)

    expect(landing.json).toMatchObject({ user: { sub: 'U1' } })
  })

  it('rejects a response with another issuer (RFC 9207 §2.4)', async () => {
    const app = await openApp({})
    const browser = openBrowser(site, changeAnswer('iss', 'https://evil.test'))

    const landing = await browser.open(`${app.origin}/private`)

    expect(landing.status).toBe(400)
    expect(landing.json['message']).toBe('invalid response encountered')
    expect(site.events.findLast(({ type }) => type === 'tokens.issued')).not.toMatchObject({ clientId: app.clientId })
  })

  it('an error response reaches the application (RFC 6749 §4.1.2.1)', async () => {
    const app = await openApp({ prompt: 'none' })

    const landing = await openBrowser(site).open(`${app.origin}/private`)

    expect(landing.status).toBe(400)
    expect(landing.json['error']).toBe('consent_required')
  })

  it('a user who lost the state cookie gets an error page (RFC 6749 §10.12)', async () => {
    const app = await openApp({})
    const landing = await openBrowser(site).open(`${app.origin}/private`)

    const stranger = await openBrowser(site).open(callbackOf(landing).href)

    expect(stranger.status).toBe(400)
    expect(stranger.trail).toHaveLength(1)
  })
})

/** Starts a new application, to which no user has consented yet. All of its pages require a sign-in. */
async function openApp(
  authorizationParams: ConfigParams['authorizationParams'],
  { clientId, origin }: { readonly clientId?: string; readonly origin?: string } = {},
): Promise<WebApp> {
  const app = await openWebApp(site, {
    ...(clientId !== undefined && { clientId }),
    ...(origin !== undefined && { redirectUris: [`${origin}/callback`] }),
  })
  onTestFinished(() => app.close())
  const protect = openidConnect.auth({
    issuerBaseURL: site.issuer,
    baseURL: origin ?? app.origin,
    clientID: app.clientId,
    clientSecret: app.clientSecret,
    secret: 'of the test, long enough',
    authorizationParams: {
      response_type: 'code',
      scope: 'openid profile email offline_access',
      ...authorizationParams,
    },
  })
  const answerError: ErrorRequestHandler = (error: Failure, _request, response, _next) => {
    response.status(error.status ?? 500).json({ error: error.error, message: error.message })
  }
  const application = express()
    .use(protect)
    .get('/private', async (request, response) => {
      const before = request.oidc.accessToken
      const after = await before?.refresh()
      const info = await request.oidc.fetchUserInfo()
      const isRefreshed = after !== undefined && after.access_token !== before?.access_token
      response.json({ user: request.oidc.user, info, isRefreshed })
    })
    .use(answerError)
  app.serve(application as RequestListener)
  return app
}

/** The library's errors. */
type Failure = Error & { readonly status?: number; readonly error?: string }
