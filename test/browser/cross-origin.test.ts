import { registerClient } from '@mintmark/core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { launchChromium } from '../../packages/pages/test/browser/launch-chromium.ts'
import { encode, obtainCode, verifier } from '../support/flow.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { openThirdPartySite, type ThirdPartySite } from './third-party-site.ts'

let browser: Browser
let site: ServerUnderTest
let app: ThirdPartySite
let stranger: ThirdPartySite

beforeAll(async () => {
  browser = await launchChromium()
  site = await startLoopbackServer()
  app = await openThirdPartySite()
  stranger = await openThirdPartySite()
  await registerClient(
    {
      clientId: 'page',
      clientName: 'Page',
      tokenEndpointAuthMethod: 'none',
      redirectUris: [`${app.origin}/cb`],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['openid', 'profile', 'offline_access'],
      idTokenSignedResponseAlg: 'ES256',
    },
    { storage: site.storage },
  )
})

afterAll(async () => {
  await Promise.all([browser.close(), site.close(), app.close(), stranger.close()])
})

test('in Chromium, the page of a public client signs in, reads userinfo, refreshes and revokes (RFC 9700 §2.6)', async () => {
  const results = await callFrom(app.origin)

  expect(results).toEqual({
    metadata: site.issuer,
    keys: 'read',
    token: '200 Bearer',
    userinfo: '200 U1',
    refresh: '200 Bearer',
    revocation: '200 ',
    revoked: '401 Bearer realm="userinfo", error="invalid_token"',
    introspection: 'blocked',
    authorization: 'blocked',
  })
})

test('in Chromium, the page of another origin can read the public documents only (RFC 9700 §2.6)', async () => {
  // A page on the same loopback host could use any port (RFC 8252 §7.3).
  const results = await callFrom(stranger.origin.replace('127.0.0.1', 'localhost'))

  expect(results).toEqual({
    metadata: site.issuer,
    keys: 'read',
    token: 'blocked',
    userinfo: 'blocked',
    refresh: 'blocked',
    revocation: 'blocked',
    revoked: 'blocked',
    introspection: 'blocked',
    authorization: 'blocked',
  })
})

/**
 * Calls every endpoint from a script on the origin and returns the responses that the script can read. The script also
 * gets tokens that it could not read itself, to test what it can do with them.
 */
async function callFrom(origin: string): Promise<Readonly<Record<string, string>>> {
  const redirect_uri = `${app.origin}/cb`
  const request = { client_id: 'page', redirect_uri, scope: 'openid profile offline_access' }
  const redemption = async () =>
    encode({
      grant_type: 'authorization_code',
      client_id: 'page',
      code: await obtainCode(site, request),
      redirect_uri,
      code_verifier: verifier,
    })
  const stolen = await site.send({
    method: 'POST',
    path: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: await redemption(),
  })
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(origin)
  const results = await page.evaluate(callEndpoints, {
    issuer: site.issuer,
    redemption: await redemption(),
    stolen: stolen.json as Record<string, string>,
  })
  await context.close()
  return results
}

/** Runs in the page. */
async function callEndpoints({
  issuer,
  redemption,
  stolen,
}: {
  issuer: string
  redemption: string
  stolen: Record<string, string>
}): Promise<Record<string, string>> {
  const call = async (path: string, init: RequestInit, read: (reply: Response) => Promise<string>): Promise<string> => {
    try {
      return await read(await fetch(issuer + path, init))
    } catch {
      return 'blocked'
    }
  }
  const json = async (reply: Response) => (await reply.json()) as Record<string, string>
  const post = (body: Record<string, string> | string): RequestInit => ({
    method: 'POST',
    body: new URLSearchParams(body),
  })
  const bearer = (): RequestInit => ({ headers: { authorization: `Bearer ${tokens['access_token']}` } })
  let tokens = stolen
  const readTokens = async (reply: Response): Promise<string> => {
    tokens = await json(reply)
    return `${reply.status} ${tokens['token_type']}`
  }

  return {
    // Clients of the Model Context Protocol send this header, which our allow lists do not name.
    metadata: await call(
      '/.well-known/openid-configuration',
      { headers: { 'mcp-protocol-version': '2025-11-25' } },
      async (reply) => (await json(reply))['issuer'] ?? '',
    ),
    keys: await call('/jwks', {}, async (reply) => ('keys' in (await json(reply)) ? 'read' : '')),
    token: await call('/token', post(redemption), readTokens),
    userinfo: await call('/userinfo', bearer(), async (reply) => `${reply.status} ${(await json(reply))['sub']}`),
    refresh: await call(
      '/token',
      post({ grant_type: 'refresh_token', client_id: 'page', refresh_token: tokens['refresh_token'] ?? '' }),
      readTokens,
    ),
    revocation: await call(
      '/token/revocation',
      post({ client_id: 'page', token: tokens['refresh_token'] ?? '' }),
      async (reply) => `${reply.status} ${await reply.text()}`,
    ),
    revoked: await call(
      '/userinfo',
      bearer(),
      async (reply) => `${reply.status} ${reply.headers.get('www-authenticate')?.split(', ').slice(0, 2).join(', ')}`,
    ),
    introspection: await call('/token/introspection', post({ client_id: 'page', token: 'x' }), async (reply) =>
      String(reply.status),
    ),
    authorization: await call('/auth?client_id=page', {}, async (reply) => String(reply.status)),
  }
}
