import {
  createConnectedApps,
  createCookieSessions,
  createAuthorizationServer,
  createStoredKeys,
  limitSignIns,
} from '@mintmark/core'
import { toExpress } from '@mintmark/adapter-express'
import { withHeaders } from '@mintmark/core/http'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { epochSeconds, userId } from '@mintmark/storage-interface'
import * as openid from 'openid-client'
import express from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openFormBrowser, type FormBrowser } from '../support/form-browser.ts'
import { freePort } from '../support/free-port.ts'
import { addAnn, listenAt, registerAtApp } from './client-at-app.ts'
import { accountPages } from '../../docs/snippets/connected-apps-page/mount.ts'

const issuer = `http://localhost:${await freePort()}`
const storage = createMemoryStorage({ issuer })
const sessions = createCookieSessions({ storage })
const reasons: string[] = []
const server = createAuthorizationServer({
  issuer,
  storage,
  keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }),
  signedIn: sessions.signedIn,
  onEvent: (event) => void (event.type === 'request.refused' && reasons.push(event.reason)),
  pages: {
    async login(pending, request) {
      const { signedIn, headers } = await sessions.start(request, { subject: 'user-1' })
      return withHeaders(await pending.complete(signedIn), headers)
    },
    consent: (pending) => pending.complete({ grantedScopes: pending.scopes.map(({ name }) => name) }),
  },
})

/** `findUser` knows these users. The second is deactivated in storage, and storage has no record of the third. */
const people = [
  { id: 'user-1', name: 'ann' },
  { id: 'user-2', name: 'bob' },
  { id: 'user-3', name: 'cleo' },
]

let browser: FormBrowser
let close: () => Promise<void>
beforeAll(async () => {
  const findUser = (name: string, password: string) => people.find((each) => each.name === name && password === 'right')
  const pages = accountPages(server, { storage, sessions, attempts: limitSignIns(), findUser })
  close = await listenAt(issuer, express().use(toExpress(server)).use(pages))
  await addAnn(storage)
  await storage.users.insert({ userId: userId('user-2'), claims: {}, createdAt: epochSeconds(0) })
  await storage.users.deactivate(userId('user-2'), epochSeconds(Date.now() / 1000))
  browser = openFormBrowser()
})
afterAll(() => close())

it('shows nothing to a visitor who is not signed in', async () => {
  expect((await openFormBrowser().open(`${issuer}/account`)).url.pathname).toBe('/sign-in')
})

it('a visitor signs in to the product without a client, and comes back to the page', async () => {
  const visitor = openFormBrowser()
  const form = await visitor.open(`${issuer}/account`)

  const wrong = await visitor.fillIn(form, { username: 'ann', password: 'wrong' })
  const right = await visitor.fillIn(wrong, { username: 'ann', password: 'right' })

  expect([form.url.search, wrong.url.pathname]).toEqual(['?return_to=/account', '/sign-in'])
  expect(wrong.text).toContain('value="ann"')
  expect([right.url.pathname, right.text.includes('This browser')]).toEqual(['/account', true])
})

it.each([
  ['bob', 'user_inactive'],
  ['cleo', 'user_unknown'],
])('%s, who must not sign in, sees an error page and no circle of redirects', async (username, reason) => {
  const visitor = openFormBrowser()

  const page = await visitor.fillIn(await visitor.open(`${issuer}/account`), { username, password: 'right' })

  expect([page.url.pathname, reasons.at(-1)]).toEqual(['/sign-in', reason])
  expect(await storage.sessions.listByUser(userId('user-2'), epochSeconds(Date.now() / 1000))).toEqual([])
})

it('a form of another site signs nobody in (RFC 9700 §4.7)', async () => {
  const answer = await fetch(`${issuer}/sign-in`, {
    method: 'POST',
    headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'username=ann&password=right',
  })

  expect([answer.status, answer.headers.get('set-cookie'), reasons.at(-1)]).toEqual([403, null, 'cross_site_post'])
})

it("lists the user's connected apps with escaped names, and disconnecting one revokes its refresh token", async () => {
  const client = await registerAtApp(storage, { clientName: 'Notes <b>&' })
  const tokens = await client.redeem(await browser.open(await client.begin({ scope: 'openid offline_access' })))

  const shown = await browser.open(`${issuer}/account`)
  const after = await browser.fillIn(shown, { app: buttonOf(shown.text, 'app') })
  const tokenAfter = await server.accessToken(tokens.access_token)

  expect(shown.text).toMatch(/Notes &lt;b&gt;&amp;.*?Know who you are.*?Stay connected while you are away/s)
  expect(after.text).not.toContain('name="app"')
  expect(tokens.refresh_token).toMatch(/./)
  expect(tokenAfter).toBeUndefined()
  await expect(openid.refreshTokenGrant(client.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  })
  expect(reasons.at(-1)).toBe('refresh_token_unknown')
})

it('shows where the user is signed in, and ends all other sessions', async () => {
  const client = await registerAtApp(storage, { clientName: 'Notes' })
  await client.redeem(await browser.open(await client.begin()))
  await openFormBrowser().open(await client.begin())

  const shown = await browser.open(`${issuer}/account`)
  const after = await browser.fillIn(shown, { others: 'yes' })

  expect(shown.text).toMatch(/This browser.*?Signed in on .*?, last used on .*?Signed in to .*?Notes/s)
  expect(shown.text.match(/name="session"/g)?.length).toBeGreaterThan(1)
  expect(after.text.match(/name="session"/g)).toHaveLength(1)
  expect(after.text).toContain('This browser')
  await browser.fillIn(after, { app: buttonOf(after.text, 'app') })
})

it('users can end their own sessions and no others', async () => {
  const shown = await browser.open(`${issuer}/account`)

  const unknown = await browser.fillIn(shown, { app: 'of-another', session: 'of-another' })
  const after = await browser.fillIn(shown, { session: buttonOf(shown.text, 'session') })

  expect([unknown.url.pathname, after.url.pathname]).toEqual(['/account', '/sign-in'])
})

it('a form on another site revokes nothing (RFC 9700 §4.7)', async () => {
  const client = await registerAtApp(storage)
  await browser.open(await client.begin())
  const { grantId = '' } = (await createConnectedApps({ storage }).list('user-1'))[0] ?? {}

  const answer = await fetch(`${issuer}/account`, {
    method: 'POST',
    headers: { origin: 'https://evil.example' },
    body: `app=${grantId}`,
  })

  expect([answer.status, reasons.at(-1)]).toEqual([403, 'cross_site_post'])
  expect(await createConnectedApps({ storage }).list('user-1')).toHaveLength(1)
})

const buttonOf = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? ''
