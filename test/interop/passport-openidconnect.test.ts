import OpenIDConnectStrategy, { type StrategyOptions } from 'passport-openidconnect'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { passportApplication } from './passport-application.ts'
import { callbackOf, openBrowser } from './user-browser.ts'
import { openWebApp, type WebApp } from './web-app.ts'

let site: ServerUnderTest
let app: WebApp
beforeAll(async () => {
  // The strategy does not support PKCE. It sends a nonce, which RFC 9700 §2.1.1 allows a confidential client to use
  // instead.
  site = await startLoopbackServer()
  app = await openApp('passport')
})
afterAll(async () => {
  await app.close()
  await site.close()
})

describe('passport-openidconnect', () => {
  it('signs a user in with client_secret_post and a nonce, and calls userinfo (OIDC Core §3.1, §5.3)', async () => {
    const landing = await openBrowser(site).open(`${app.origin}/login`)

    expect(landing.json).toEqual({
      issuer: site.issuer,
      profile: expect.objectContaining({
        id: 'U1',
        displayName: 'Ann Lee',
        emails: [{ value: 'ann@example.test' }],
      }) as unknown,
    })
  })

  it('ignores the issuer in the response (RFC 9207 §2)', async () => {
    const landing = await openBrowser(site).open(`${app.origin}/login`)

    expect(callbackOf(landing).searchParams.get('iss')).toBe(site.issuer)
    expect(landing.status).toBe(200)
  })

  it('requires auth_time after max_age, and the ID token has a recent one (OIDC Core §3.1.2.1)', async () => {
    const app = await openApp('passport-max-age', { maxAge: '60' })
    onTestFinished(() => app.close())

    const landing = await openBrowser(site).open(`${app.origin}/login`)

    expect(landing.status).toBe(200)
  })

  it('an error response reaches the application (RFC 6749 §4.1.2.1)', async () => {
    const app = await openApp('passport-prompt', { prompt: 'none' })
    onTestFinished(() => app.close())

    const landing = await openBrowser(site).open(`${app.origin}/login`)

    expect(landing.json['error']).toBe('consent_required')
  })

  it('a user who lost the state cookie gets an error (RFC 6749 §10.12)', async () => {
    const landing = await openBrowser(site).open(`${app.origin}/login`)

    const stranger = await openBrowser(site).open(callbackOf(landing).href)

    expect(stranger.status).toBe(403)
    expect(stranger.trail).toHaveLength(1)
  })
})

/** Starts an application whose strategy has additional options. */
async function openApp(clientId: string, options: Partial<StrategyOptions> = {}): Promise<WebApp> {
  const app = await openWebApp(site, { clientId, tokenEndpointAuthMethod: 'client_secret_post' })
  const strategy = new OpenIDConnectStrategy(
    {
      issuer: site.issuer,
      authorizationURL: `${site.issuer}/auth`,
      tokenURL: `${site.issuer}/token`,
      userInfoURL: `${site.issuer}/userinfo`,
      clientID: app.clientId,
      clientSecret: app.clientSecret,
      callbackURL: `${app.origin}/callback`,
      scope: 'profile email',
      nonce: 'each request gets its own',
      skipUserProfile: false,
      ...options,
    },
    (issuer: string, profile: OpenIDConnectStrategy.Profile, done: OpenIDConnectStrategy.VerifyCallback) =>
      done(null, { issuer, profile }),
  )
  app.serve(passportApplication(strategy))
  return app
}
