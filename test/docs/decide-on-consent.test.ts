import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { beforeAll, expect, it } from 'vitest'

import { openFormBrowser, type FormBrowser } from '../support/form-browser.ts'
import { addAnn, registerAtApp, sendTo, type ClientAtApp } from './client-at-app.ts'
import { consent } from '../../docs/snippets/decide-on-consent/consent.ts'
import { scopes } from '../../docs/snippets/decide-on-consent/scopes.ts'

const issuer = 'https://login.example'
const storage = createMemoryStorage({ issuer })
const signedIn = () => Promise.resolve({ subject: 'user-1', authTime: Math.floor(Date.now() / 1000) - 5 })
const server = createAuthorizationServer({
  issuer,
  storage,
  keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }),
  signedIn,
  scopes,
  pages: { login: (pending) => pending.deny(), consent },
})
const send = sendTo(server)
const registration = { scopes: ['openid', 'profile', 'orders.read', 'loyalty', 'offline_access'] }

let browser: FormBrowser
let shop: ClientAtApp
beforeAll(async () => {
  await addAnn(storage)
  const redirectUris = [`${issuer}/callback`, 'http://127.0.0.1/callback']
  shop = await registerAtApp(storage, { ...registration, redirectUris, clientId: 'shop' }, send)
  browser = openFormBrowser(send)
})

const startAt = async (client: ClientAtApp, scope: string, more: Readonly<Record<string, string>> = {}) =>
  browser.open(await client.begin({ scope, ...more }))

it("does not ask for consent to the host's own applications, whatever they request", async () => {
  const page = await startAt(shop, 'openid orders.read offline_access', { prompt: 'consent' })

  expect(await shop.redeem(page)).toMatchObject({ scope: 'openid orders.read offline_access' })
})

it('asks for consent to other applications once, and again for new scopes', async () => {
  const other = await registerAtApp(storage, { ...registration, clientId: 'other' }, send)

  const consentPage = await startAt(other, 'openid orders.read')
  await browser.fillIn(consentPage, { decision: 'allow' })
  const again = await startAt(other, 'openid orders.read')
  const more = await startAt(other, 'openid orders.read loyalty')
  await browser.fillIn(more, { decision: 'allow' })
  const all = await startAt(other, 'openid loyalty')

  expect([consentPage, again, more, all].map(({ url }) => url.pathname)).toEqual([
    '/consent',
    '/callback',
    '/consent',
    '/callback',
  ])
  expect([consentPage.text, more.text].map((text) => text.includes('See your orders'))).toEqual([true, true])
})

it('the scope in the response leaves out what the user deselected (RFC 6749 §3.3)', async () => {
  const other = await registerAtApp(storage, { ...registration, clientId: 'part' }, send)
  const consentPage = await startAt(other, 'openid orders.read loyalty')

  const form = { ...consentPage, text: consentPage.text.replace(/<input[^>]*value="loyalty"[^>]*>/, '') }
  const tokens = await other.redeem(await browser.fillIn(form, { decision: 'allow' }))

  expect(tokens.scope).toBe('openid orders.read')
})

it('asks every time for a host application that another program could impersonate (RFC 8252 §8.6)', async () => {
  const page = await startAt(shop, 'openid', { redirect_uri: 'http://127.0.0.1/callback', prompt: 'consent' })

  expect(page.url.pathname).toBe('/consent')
})

it('prompt=none before the first consent fails with consent_required (OIDC Core §3.1.2.6)', async () => {
  const other = await registerAtApp(storage, { ...registration, clientId: 'silent' }, send)

  const page = await startAt(other, 'openid', { prompt: 'none' })

  expect(page.url.searchParams.get('error')).toBe('consent_required')
})
