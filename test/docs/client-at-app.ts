import type { AddressInfo } from 'node:net'

import { toFetch } from '@mintmark/adapter-fetch'
import { registerClient, type ClientRegistration } from '@mintmark/core'
import type { HttpService } from '@mintmark/core/http'
import { epochSeconds, userId, type AdminStorage } from '@mintmark/storage-interface'
import type { Express } from 'express'
import * as openid from 'openid-client'

import type { VisitedPage } from '../support/form-browser.ts'

/** A client application at the server that a documentation page describes. */
export interface ClientAtApp {
  /** The URL at which the browser starts to sign in; `redeem` redeems the code of the latest request. */
  begin(change?: Readonly<Record<string, string>>): Promise<string>
  /** @param page where the browser came back to. */
  redeem(page: VisitedPage): Promise<openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers>
  readonly config: openid.Configuration
}

/** Creates the user Ann, who signs in on every page. */
export const addAnn = async (storage: AdminStorage): Promise<void> => {
  const claims = { name: 'Ann Lee', email: 'ann@example.com', email_verified: true }
  await storage.users.insert({ userId: userId('user-1'), claims, createdAt: epochSeconds(Date.now() / 1000) })
}

/** Registers a client. Its callback is an address without a page: the tests read only the URL. */
export async function registerAtApp(
  storage: AdminStorage,
  change: Partial<ClientRegistration> = {},
  send: typeof fetch = fetch,
): Promise<ClientAtApp> {
  const { issuer } = storage
  const redirectUri = change.redirectUris?.[0] ?? `${issuer}/callback`
  const { client, clientSecret } = await registerClient(
    {
      clientName: 'My app',
      redirectUris: [redirectUri],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      ...change,
    },
    { storage },
  )
  const config = await configAt(issuer, { clientId: client.clientId, clientSecret, send })
  let pkceCodeVerifier = ''

  return {
    config,
    async begin(parameters = {}) {
      pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const challenge = await openid.calculatePKCECodeChallenge(pkceCodeVerifier)
      const request = {
        redirect_uri: redirectUri,
        scope: 'openid profile',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }
      return openid.buildAuthorizationUrl(config, { ...request, ...parameters }).href
    },
    redeem: ({ url }) => openid.authorizationCodeGrant(config, url, { pkceCodeVerifier }),
  }
}

/** Listens on the issuer's port. @returns a function that closes the server. */
export async function listenAt(issuer: string, app: Express): Promise<() => Promise<void>> {
  const listener = app.listen(Number(new URL(issuer).port), '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  if ((listener.address() as AddressInfo).port === 0) throw new Error(`The issuer ${issuer} must contain a port.`)
  return () =>
    new Promise((resolve) => {
      listener.close(() => resolve())
      listener.closeAllConnections()
    })
}

interface ClientOptions {
  readonly clientId: string
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined
  readonly send: typeof fetch
}

/** Reads the server's metadata. @returns openid-client's configuration for this client. */
export function configAt(
  issuer: string,
  { clientId, clientSecret, send }: ClientOptions,
): Promise<openid.Configuration> {
  const proof = clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret)
  return openid.discovery(new URL(issuer), clientId, undefined, proof, {
    execute: [openid.allowInsecureRequests],
    [openid.customFetch]: (url, { method, headers, body }) =>
      send(url, { method, headers, body: body instanceof Uint8Array ? new Uint8Array(body) : (body ?? null) }),
  })
}

/** Returns a `fetch` that calls the service in this process; every other origin responds with an empty page. */
export function sendTo(service: HttpService): typeof fetch {
  const answer = toFetch(service)
  return (input, init) => {
    const request = new Request(input, init)
    return new URL(request.url).origin === service.origin ? answer(request) : Promise.resolve(new Response(''))
  }
}

/**
 * Returns a `fetch` that makes a library poll at this interval, in seconds, instead of the five that the server asks for. The
 * server itself counts by its own clock.
 */
export const withInterval =
  (send: typeof fetch, interval: number): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init)
    const text = await response.text()
    return new Response(text.replace(/"interval":\d+/, `"interval":${interval}`), response)
  }
