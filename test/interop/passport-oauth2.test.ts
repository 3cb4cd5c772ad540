import OAuth2Strategy from 'passport-oauth2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { passportApplication } from './passport-application.ts'
import { callbackOf, changeAnswer, openBrowser } from './user-browser.ts'
import { openWebApp, type WebApp } from './web-app.ts'

let site: ServerUnderTest
let app: WebApp
beforeAll(async () => {
  site = await startLoopbackServer()
  app = await openWebApp(site, { tokenEndpointAuthMethod: 'client_secret_post' })
  app.serve(passportApplication(strategy()))
})
afterAll(async () => {
  await app.close()
  await site.close()
})

describe('passport-oauth2', () => {
  it('gets tokens for a user with client_secret_post, state and S256 (RFC 6749 §4.1, RFC 7636 §4)', async () => {
    const landing = await openBrowser(site).open(`${app.origin}/login`)

    expect(landing.json).toEqual({
      accessToken: expect.any(String) as string,
      refreshToken: expect.any(String) as string,
      results: expect.objectContaining({ token_type: 'Bearer', scope: 'api.read offline_access' }) as unknown,
    })
    expect(landing.trail.find(({ pathname }) => pathname === '/auth')?.searchParams.get('code_challenge_method')).toBe(
      'S256',
    )
  })

  it('ignores the issuer in the response (RFC 9207 §2)', async () => {
    const landing = await openBrowser(site).open(`${app.origin}/login`)

    expect(callbackOf(landing).searchParams.get('iss')).toBe(site.issuer)
    expect(landing.status).toBe(200)
  })

  it('an error of the token endpoint reaches the application (RFC 6749 §5.2)', async () => {
    const browser = openBrowser(site, changeAnswer('code', 'another'))

    const landing = await browser.open(`${app.origin}/login`)

    expect(landing.json).toMatchObject({ error: 'invalid_grant' })
  })

  it('a user who lost the state cookie gets an error (RFC 6749 §10.12)', async () => {
    const landing = await openBrowser(site).open(`${app.origin}/login`)

    const stranger = await openBrowser(site).open(callbackOf(landing).href)

    expect(stranger.status).toBe(403)
    expect(stranger.trail).toHaveLength(1)
  })
})

const strategy = (): OAuth2Strategy =>
  new OAuth2Strategy(
    {
      authorizationURL: `${site.issuer}/auth`,
      tokenURL: `${site.issuer}/token`,
      clientID: app.clientId,
      clientSecret: app.clientSecret,
      callbackURL: `${app.origin}/callback`,
      scope: ['api.read', 'offline_access'],
      state: true,
      pkce: true,
    },
    (
      accessToken: string,
      refreshToken: string,
      results: object,
      _profile: unknown,
      done: OAuth2Strategy.VerifyCallback,
    ) => done(null, { accessToken, refreshToken, results }),
  )
