import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { registerClient } from '@mintmark/core'

import { challenge, encode } from '../support/flow.ts'
import type { ExampleInstance } from './example-instance.ts'
import { useStorage } from './use-storage.ts'

/** A third-party website, on a different origin from the example. */
export interface ThirdPartySite {
  readonly origin: string
  close(): Promise<void>
}

/** @param pages HTML by path, or an address to redirect to; every other path shows `back at the client`. */
export async function openThirdPartySite(pages: Readonly<Record<string, string | URL>> = {}): Promise<ThirdPartySite> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const page = pages[pathname]
    if (page instanceof URL) {
      response.writeHead(302, { Location: page.href }).end()
      return
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><link rel="icon" href="data:,">${page ?? 'back at the client'}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Registers a third-party client in the example's database. @returns the URL of its authorization request. */
export async function registerThirdPartyClient(
  instance: ExampleInstance,
  redirectUri: string,
  tokenEndpointAuthMethod: 'none' | 'client_secret_basic' = 'none',
): Promise<string> {
  const { client } = await useStorage(instance, (storage) =>
    registerClient(
      { clientName: 'Elsewhere', tokenEndpointAuthMethod, redirectUris: [redirectUri], scopes: ['openid', 'profile'] },
      { storage },
    ),
  )
  const request = {
    client_id: client.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile',
    state: 's1',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  return `${instance.url}/auth?${encode(request)}`
}
