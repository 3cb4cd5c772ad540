import type { RequestListener } from 'node:http'

import express from 'express'
import openidConnect from 'express-openid-connect'
import { expect, it, onTestFinished } from 'vitest'

import { freePort } from '../support/free-port.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { openBrowser } from './user-browser.ts'
import { openWebApp, type WebApp } from './web-app.ts'

it('express-openid-connect: a user who signs out at one application is signed out of the other (OIDC Back-Channel Logout §2.5)', async () => {
  const { site, apps } = await openApps()
  const [first, second] = apps
  const browser = openBrowser(site)
  for (const app of apps) expect((await browser.open(`${app.origin}/private`)).json).toMatchObject({ sub: 'U1' })

  const landing = await browser.open(`${first.origin}/logout`)
  const report = await site.server.deliverOnce()

  expect(landing.url.href).toBe(`${first.origin}/`)
  expect(landing.trail.some(({ pathname }) => pathname === '/session/end')).toBe(true)
  expect(report).toMatchObject({ delivered: 2, failed: 0, dead: 0 })
  // The application no longer knows the user, and the ended session does not sign the user in again.
  const after = await browser.open(`${second.origin}/`)
  expect(after.json).toEqual({ isAuthenticated: false })
})

it('express-openid-connect: a user whose session the host ends is signed out of both applications (OIDC Back-Channel Logout §2.5)', async () => {
  const { site, apps } = await openApps()
  const browser = openBrowser(site)
  for (const app of apps) await browser.open(`${app.origin}/private`)
  const before = await Promise.all(apps.map(({ origin }) => browser.open(`${origin}/`)))

  await site.server.endSession('sid-U1')
  await site.server.deliverOnce()

  expect(before.map(({ json }) => json)).toEqual([{ isAuthenticated: true }, { isAuthenticated: true }])
  for (const app of apps) expect((await browser.open(`${app.origin}/`)).json).toEqual({ isAuthenticated: false })
})

/** Starts a server and two applications that receive logout tokens on loopback. */
async function openApps(): Promise<{ readonly site: ServerUnderTest; readonly apps: readonly [WebApp, WebApp] }> {
  const ports = [await freePort(), await freePort()] as const
  const site = await startLoopbackServer({
    dangerouslyAllowOutbound: ports.map((port) => `http://localhost:${port}`),
  })
  onTestFinished(() => site.close())
  return { site, apps: [await openApp(site, ports[0]), await openApp(site, ports[1])] }
}

async function openApp(site: ServerUnderTest, port: number): Promise<WebApp> {
  const origin = `http://localhost:${port}`
  const app = await openWebApp(site, {
    port,
    backchannelLogoutUri: `${origin}/backchannel-logout`,
    postLogoutRedirectUris: [origin],
  })
  onTestFinished(() => app.close())
  const endedSessions = new Map<string, object>()
  const protect = openidConnect.auth({
    issuerBaseURL: site.issuer,
    baseURL: origin,
    clientID: app.clientId,
    clientSecret: app.clientSecret,
    secret: 'of the test, long enough',
    authRequired: false,
    idpLogout: true,
    // Each application needs its own cookie name, because all ports of a host share cookies.
    session: { name: `session-${port}` },
    authorizationParams: { response_type: 'code', scope: 'openid profile' },
    backchannelLogout: {
      store: {
        get: (id, done) => done(null, endedSessions.get(id) as never),
        set: (id, session, done) => {
          endedSessions.set(id, session)
          done?.()
        },
        destroy: (id, done) => {
          endedSessions.delete(id)
          done?.()
        },
      },
    },
  })
  const application = express()
    .use(protect)
    .get('/private', openidConnect.requiresAuth(), (request, response) => void response.json(request.oidc.user))
    .get('/', (request, response) => void response.json({ isAuthenticated: request.oidc.isAuthenticated() }))
  app.serve(application as RequestListener)
  return app
}
