import { randomBytes } from 'node:crypto'

import express, { type Express, type Request, type Response } from 'express'
import * as client from 'openid-client'

/** One of the shop's clients: its configuration and, for DPoP, its key. */
interface ShopClient {
  readonly config: client.Configuration
  readonly dpop?: client.DPoPHandle
}

export interface ShopSettings {
  readonly origin: string
  /** The URL of the payments API. */
  readonly payments: string
  /** The clients, by the last part of the path that starts a payment. */
  readonly clients: Readonly<Record<string, ShopClient>>
}

/** The values that the shop stores between the authorization request and its response. */
interface StartedPayment {
  readonly name: string
  readonly checks: { readonly pkceCodeVerifier: string; readonly expectedState: string; readonly expectedNonce: string }
}

const order = { amount: '12.00', creditor: 'Example Ltd.' }

/** Creates a website that requests one payment from the bank, as one of two clients. */
export function createShop({ origin, payments, clients }: ShopSettings): Express {
  const startedPayments = new Map<string, StartedPayment>()
  const shop = express()

  shop.get('/', (_request, response) => {
    const links = Object.keys(clients).map((name) => `<li><a href="/pay/${name}">Pay as shop-${name}</a>`)
    response.send(`<!doctype html><title>Shop</title><h1>12.00 EUR to Example Ltd.</h1><ul>${links.join('')}</ul>`)
  })

  shop.get('/pay/:name', async ({ params: { name } }, response) => {
    const shopClient = clients[name]
    if (shopClient === undefined) return response.sendStatus(404)
    const checks = {
      pkceCodeVerifier: client.randomPKCECodeVerifier(),
      expectedState: client.randomState(),
      expectedNonce: client.randomNonce(),
    }
    const url = await client.buildAuthorizationUrlWithPAR(
      shopClient.config,
      {
        redirect_uri: `${origin}/callback`,
        scope: 'openid',
        resource: payments,
        authorization_details: JSON.stringify([{ type: 'payment', ...order }]),
        code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
      },
      dpopOptionsOf(shopClient),
    )
    const id = randomBytes(16).toString('hex')
    startedPayments.set(id, { name, checks })
    return response.cookie(cookie, id, { path: '/', secure: true, httpOnly: true, sameSite: 'lax' }).redirect(url.href)
  })

  shop.get('/callback', async (request: Request, response: Response) => {
    const id = new RegExp(`(?:^|; )${cookie}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1] ?? ''
    const payment = startedPayments.get(id)
    const shopClient = clients[payment?.name ?? '']
    if (payment === undefined || shopClient === undefined) return response.status(400).send('Start again at the shop.')
    startedPayments.delete(id)
    const callback = new URL(request.originalUrl, origin)
    const tokens = await client.authorizationCodeGrant(
      shopClient.config,
      callback,
      payment.checks,
      undefined,
      dpopOptionsOf(shopClient),
    )
    const apiResponse = await client.fetchProtectedResource(
      shopClient.config,
      tokens.access_token,
      new URL(payments),
      'POST',
      JSON.stringify(order),
      new Headers({ 'content-type': 'application/json' }),
      dpopOptionsOf(shopClient),
    )
    return response.json({
      tokenType: tokens.token_type,
      approved: tokens.authorization_details,
      paid: (await apiResponse.json()) as unknown,
      date: apiResponse.headers.get('date'),
    })
  })
  return shop
}

const cookie = '__Host-payment'

const dpopOptionsOf = ({ dpop }: ShopClient): client.DPoPOptions => (dpop === undefined ? {} : { DPoP: dpop })
