import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import { createAuthorizationServer, createCookieSessions, createStoredKeys } from '@mintmark/core'
import { redirect, withHeaders, type Endpoint } from '@mintmark/core/http'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import express from 'express'
import { decodeJwt } from 'jose'
import { expect, it, onTestFinished } from 'vitest'

import { askToPay } from '../../docs/snippets/ask-a-person/agent.ts'
import { messages } from '../../docs/snippets/ask-a-person/app.ts'
import { approvalEndpoint } from '../../docs/snippets/ask-a-person/approval-page.ts'
import { registerAgent } from '../../docs/snippets/ask-a-person/register.ts'
import { options } from '../../docs/snippets/ask-a-person/server-options.ts'
import { openFormBrowser } from '../support/form-browser.ts'
import { freePort } from '../support/free-port.ts'
import { addAnn, configAt, listenAt, withInterval } from './client-at-app.ts'

/** Starts a server with the page of the how-to, and an agent that asks Ann to pay. */
async function startPayment() {
  const issuer = `http://localhost:${await freePort()}`
  const storage = createMemoryStorage({ issuer })
  const sessions = createCookieSessions({ storage })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43) })
  const server = createAuthorizationServer({ ...options, issuer, storage, keys, signedIn: sessions.signedIn })
  const approval = approvalEndpoint(server, sessions)
  const page: Endpoint = (request) => approval(request).catch((error: unknown) => server.renderError(error, request))
  const signIn: Endpoint = async (request) => {
    const { headers } = await sessions.start(request, { subject: 'user-1' })
    return withHeaders(redirect(request.url.searchParams.get('return_to') ?? '/'), headers)
  }
  const app = express()
    .use(toExpress(server))
    .all('/approve', toExpressEndpoint(server, page))
    .all('/sign-in', toExpressEndpoint(server, signIn))
  onTestFinished(await listenAt(issuer, app))
  await addAnn(storage)
  const { clientSecret } = await registerAgent(storage)
  const config = await configAt(issuer, { clientId: 'agent', clientSecret, send: withInterval(fetch, 1) })
  messages.length = 0
  const paying = askToPay(config, 'ann@example.com', { amount: '12.00', creditor: 'Example Ltd.' })
  const settled = paying.then(decodeJwt, (error: unknown) => error)
  await expect.poll(() => messages).toHaveLength(1)
  return { link: `${issuer}/approve?request=${messages[0]?.requestId}`, settled }
}

const form = { decision: 'allow', 'choice.0': 'savings' }

it('the page asks the user to sign in and to approve, once, and the agent pays (CIBA Core 1.0 §7.1)', async () => {
  const { link, settled } = await startPayment()
  const browser = openFormBrowser()

  const question = await browser.open(link)
  const approved = await browser.fillIn(question, form)
  const again = await browser.open(link)

  expect(question.text).toMatch(/Shopping agent.*Order 1234.*Pay 12\.00 EUR to Example Ltd\./s)
  expect([approved.status, approved.text]).toEqual([200, expect.stringContaining('Approved')])
  expect([again.status, again.text]).toEqual([404, expect.stringContaining('This request has ended')])
  expect(await settled).toMatchObject({ authorization_details: [{ type: 'payment', account: 'savings' }] })
})

it('a form without a decision denies, and one of another site decides nothing', async () => {
  const { link, settled } = await startPayment()
  const browser = openFormBrowser((url, init) => {
    const forged = { ...(init.headers as Record<string, string>), origin: 'https://evil.test' }
    return fetch(url, url.hash === '#forged' ? { ...init, headers: forged } : init)
  })

  const question = await browser.open(link)
  const forged = await browser.fillIn({ ...question, url: new URL('#forged', question.url) }, form)
  const denied = await browser.fillIn(question, {})

  expect(forged.status).toBe(403)
  expect(denied.text).toContain('Denied')
  expect(await settled).toMatchObject({ error: 'access_denied' })
})
