import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { toNodeListener } from '@mintmark/adapter-node'
import {
  adminScopes,
  createAdminServer,
  createAdministration,
  type AdminEvent,
  type AdminServerOptions,
} from '@mintmark/admin'

import { basic, token } from './flow.ts'
import { send, type Reply } from './send.ts'
import { startServer, type ServerUnderTest } from './server-under-test.ts'

/** A test's request; by default a client with every administration scope sends it. */
export interface AdminSent {
  readonly method?: string
  /** The path below `/admin/v1`, with a leading slash. */
  readonly path: string
  /** The access token. With an empty string, the request has no Authorization header. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown
}

/** The server of the attack tests and the administration API, with one storage and one clock. */
export interface AdminSite {
  readonly oauth: ServerUnderTest
  readonly events: readonly AdminEvent[]
  /** Requests an access token with these scope values for the client ADM from the token endpoint. */
  tokenFor(scope: string): Promise<string>
  send(sent: AdminSent): Promise<Reply>
  readonly close: () => Promise<void>
}

export async function startAdminSite(
  options: Partial<AdminServerOptions> = {},
  oauthOptions: Parameters<typeof startServer>[0] = {},
): Promise<AdminSite> {
  const scopes = { 'api.read': 'Read the API', 'api.write': 'Write to the API', ...adminScopes }
  const oauth = await startServer({ ...oauthOptions, scopes })
  const { storage, issuer, clock } = oauth
  const events: AdminEvent[] = []
  const setUp = createAdministration({ storage, clock: clock.now }).as({ kind: 'host', id: 'set-up' })
  const { clientSecret = '' } = await setUp.clients.create({
    clientId: 'ADM',
    clientName: 'Administration',
    grantTypes: ['client_credentials'],
    scopes: Object.keys(adminScopes),
  })

  const server = createAdminServer({
    issuer,
    storage,
    clock: clock.now,
    accessTokens: oauth.server,
    onEvent: (event) => void events.push(event),
    ...options,
  })
  const listener = createServer(toNodeListener(server))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  const base = `${new URL(issuer).pathname.replace(/\/$/, '')}/admin/v1`

  const tokenFor = async (scope: string): Promise<string> => {
    const reply = await token(
      oauth,
      { grant_type: 'client_credentials', scope },
      { authorization: basic('ADM', clientSecret) },
    )
    if (reply.status !== 200) throw new Error(`No token: ${reply.status} ${reply.text}`)
    return String(reply.json['access_token'])
  }
  const everything = await tokenFor('admin:write')

  return {
    oauth,
    events,
    tokenFor,
    send: ({ method = 'GET', path, token: bearer = everything, headers = {}, body }) =>
      send(port, {
        method,
        path: base + path,
        headers: {
          ...(bearer !== '' && { authorization: `Bearer ${bearer}` }),
          'content-type': 'application/json',
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    close: async () => {
      await new Promise((resolve) => listener.close(resolve))
      await oauth.close()
    },
  }
}
