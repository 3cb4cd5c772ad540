import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import * as openid from 'openid-client'
import { afterAll, expect, it, vi } from 'vitest'

import { pushPayment } from '../../docs/snippets/payments/client.ts'
import { consent, options } from '../../docs/snippets/payments/server-options.ts'
import { openFormBrowser } from '../support/form-browser.ts'
import { addAnn, registerAtApp, sendTo } from './client-at-app.ts'

const issuer = 'https://login.example'

afterAll(() => void vi.unstubAllGlobals())

it('the client of the page gets a payment approved, and the API makes only this payment (RFC 9396)', async () => {
  const storage = createMemoryStorage({ issuer })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }),
    signedIn: () => Promise.resolve({ subject: 'user-1', authTime: Math.floor(Date.now() / 1000) - 5 }),
    pages: { login: (pending) => pending.deny(), consent },
    ...options,
  })
  await addAnn(storage)
  const send = sendTo(server)
  vi.stubGlobal('fetch', send)
  // Imported after the stub, because the module keeps the `fetch` that it finds.
  const { pay } = await import('../../docs/snippets/payments/api.ts')
  const registration = {
    resources: ['https://bank.example/payments'],
    authorizationDetailsTypes: ['payment'],
  }
  const { config } = await registerAtApp(storage, registration, send)
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const ordered = { amount: '12.00', creditor: 'Example Ltd.' }

  const address = await pushPayment(config, ordered, {
    redirect_uri: `${issuer}/callback`,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const browser = openFormBrowser(send)
  const page = await browser.open(address.href)
  const back = await browser.fillIn(page, { decision: 'allow', 'choice.0': 'savings' })
  const tokens = await openid.authorizationCodeGrant(config, back.url, { pkceCodeVerifier })

  expect(page.text).toContain('Pay 12.00 EUR to Example Ltd.')
  expect(tokens.authorization_details).toEqual([{ type: 'payment', ...ordered, account: 'savings' }])
  const order = (body: object) =>
    pay(
      new Request('https://bank.example/payments', {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.access_token}` },
        body: JSON.stringify(body),
      }),
    )
  expect(await (await order(ordered)).json()).toEqual({ paid: '12.00', from: 'savings' })
  expect((await order({ ...ordered, amount: '13.00' })).status).toBe(403)
})
