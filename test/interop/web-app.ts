import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

import { registerClient, type ClientRegistration } from '@mintmark/core'

import type { ServerUnderTest } from '../support/server-under-test.ts'

/** A third-party web application at http://localhost, which is another site than the server's http://127.0.0.1. */
export interface WebApp {
  readonly origin: string
  readonly port: number
  readonly clientId: string
  /** Empty for a public client. */
  readonly clientSecret: string
  /** The application itself, created once its address is known. */
  serve(listener: RequestListener): void
  close(): Promise<void>
}

/** @param registration differences from a confidential client that comes back to `/callback`; its server may send requests to it. */
export async function openWebApp(
  site: ServerUnderTest,
  {
    callback = '/callback',
    port: given = 0,
    ...registration
  }: Partial<ClientRegistration> & { readonly callback?: string; readonly port?: number } = {},
): Promise<WebApp> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(given, '127.0.0.1', resolve))
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
