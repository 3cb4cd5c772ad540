import { epochSeconds, userId } from '@mintmark/storage-interface'
import session from 'express-session'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'

import { openFormBrowser } from '../support/form-browser.ts'
import { freePort } from '../support/free-port.ts'
import { addAnn, listenAt, registerAtApp, type ClientAtApp } from './client-at-app.ts'

vi.stubEnv('DATABASE', ':memory:')
vi.stubEnv('SEALING_KEY', 'A'.repeat(43))
vi.stubEnv('SESSION_SECRET', 'example')
vi.stubEnv('ISSUER_URL', `http://localhost:${await freePort()}`)
const { issuer, storage } = await import('../../docs/snippets/use-your-own-session/authorization-server.ts')
const { app } = await import('../../docs/snippets/use-your-own-session/app.ts')
vi.unstubAllEnvs()

let client: ClientAtApp
let close: () => Promise<void>
beforeAll(async () => {
  close = await listenAt(issuer, app)
  await addAnn(storage)
  client = await registerAtApp(storage)
})
afterAll(() => close())

const password = { email: 'ann@example.com', password: 'example' }

it("the sign-in page of the guide is the host's own, and the browser returns with a code", async () => {
  const browser = openFormBrowser()
  const form = await browser.open(await client.begin())

  const tokens = await client.redeem(await browser.fillIn(await browser.fillIn(form, password), { decision: 'allow' }))

  expect(form.url.pathname).toBe('/sign-in')
  expect(tokens.claims()).toMatchObject({ sub: 'user-1', amr: ['pwd'] })
})

it('does not ask a user who is signed in at the host to sign in again, unless the client requires it (OIDC Core §3.1.2.1)', async () => {
  const browser = openFormBrowser()
  await browser.fillIn(await browser.open(`${issuer}/sign-in`), password)

  const direct = await browser.open(await client.begin())
  const signInPage = await browser.open(await client.begin({ prompt: 'login' }))
  const callbackPage = await browser.fillIn(signInPage, password)

  expect(direct.url.pathname).toBe('/callback')
  expect(signInPage.url.pathname).toBe('/sign-in')
  expect((await client.redeem(callbackPage)).claims()?.sub).toBe('user-1')
})

it('a user who returns without signing in is sent to sign in again', async () => {
  const browser = openFormBrowser()
  const form = await browser.open(await client.begin())

  const back = await browser.open(new URL(form.url.searchParams.get('return_to') ?? '', issuer))

  expect(back.url.pathname).toBe('/sign-in')
})

it.each(['https://evil.example/', '//evil.example/', '/\\evil.example/', '/.//evil.example/', 'javascript:alert(1)'])(
  'the sign-in page does not redirect to %s (RFC 9700 §4.11)',
  async (target) => {
    const answer = await fetch(`${issuer}/sign-in?${new URLSearchParams({ return_to: target }).toString()}`, {
      method: 'POST',
      headers: { origin: issuer },
      body: new URLSearchParams(password),
      redirect: 'manual',
    })

    expect([answer.status, new URL(answer.headers.get('location') ?? '', issuer).origin]).toEqual([303, issuer])
  },
)

const signIn = (form: Record<string, string>, headers: Record<string, string> = { origin: issuer }) =>
  fetch(`${issuer}/sign-in`, { method: 'POST', headers, body: new URLSearchParams(form), redirect: 'manual' })

it.each<[string, Record<string, string>]>([
  ['another site', { origin: 'https://evil.example' }],
  ['a page without an origin', { origin: 'null' }],
  ['no page', {}],
])('the sign-in page refuses a form from %s, and starts no session (RFC 9700 §4.7)', async (_, headers) => {
  const answer = await signIn(password, headers)

  expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
})

it('the sign-in page refuses even the right password after ten attempts (RFC 6749 §10.10)', async () => {
  const guesses = Array.from({ length: 10 }, (_, number) => ({ email: 'bob@example.com', password: `${number}` }))
  for (const guess of guesses) expect((await signIn(guess)).status).toBe(303)

  expect((await signIn({ email: 'BOB@example.com', password: 'example' })).status).toBe(429)
  expect((await signIn(password)).headers.getSetCookie()).toHaveLength(1)
})

it('neither signs in nor says that the user is signed out if the session store fails', async () => {
  const browser = openFormBrowser()
  await browser.fillIn(await browser.open(`${issuer}/sign-in`), password)
  const question = await browser.open(`${issuer}/session/end`)
  const destroy = vi
    .spyOn(session.MemoryStore.prototype, 'destroy')
    .mockImplementation((_, done) => done?.(new Error('The store is down')))
  onTestFinished(() => destroy.mockRestore())
  vi.spyOn(console, 'error').mockImplementation(() => undefined)

  const confirmed = { ...question, url: new URL('/session/end/confirm', issuer) }
  const signedOut = await browser.fillIn(confirmed, { decision: 'sign_out' })
  const signedIn = await signIn(password)

  expect([signedOut.status, signedIn.status]).toEqual([500, 500])
})

it('a deactivated user gets no code, even with an active session at the host', async () => {
  const browser = openFormBrowser()
  await browser.fillIn(await browser.open(`${issuer}/sign-in`), password)
  await storage.users.deactivate(userId('user-1'), epochSeconds(Date.now() / 1000))

  const page = await browser.fillIn(await browser.open(await client.begin()), password)

  expect([page.url.pathname, page.url.searchParams.get('code')]).toEqual(['/login', null])
  expect(page.text).toContain('Your account is deactivated.')
})
