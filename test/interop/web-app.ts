import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import { registerClient, type ClientRegistration } from '@mintmark/core'

import type { ServerUnderTest } from '../support/server-under-test.ts'

/** A third-party web application at http://localhost, a different site from the server's http://127.0.0.1. */
export interface WebApp {
  readonly origin: string
  readonly port: number
  readonly clientId: string
  /** An empty string for a public client. */
  readonly clientSecret: string
  /** Starts to serve the application, which can be created only when its origin is known. */
  serve(listener: RequestListener): void
  close(): Promise<void>
}

/**
 * Registers a web application and starts its HTTP server. The authorization server may send requests to it.
 * @param registration changes the registration: by default a confidential client whose redirect URI is `/callback`.
 */
export async function openWebApp(
  site: ServerUnderTest,
  {
    callback = '/callback',
    port: requestedPort = 0,
    ...registration
  }: Partial<ClientRegistration> & { readonly callback?: string; readonly port?: number } = {},
): Promise<WebApp> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(requestedPort, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  const { client, clientSecret = '' } = await registerClient(
    {
      clientName: 'Web app',
      redirectUris: [`${origin}${callback}`],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: ['openid', 'profile', 'email', 'offline_access', 'api.read'],
      ...registration,
    },
    { storage: site.storage, dangerouslyAllowOutbound: [origin] },
  )
  return {
    origin,
    port,
    clientId: client.clientId,
    clientSecret,
    serve: (listener) => void server.on('request', listener),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
