import { toFetchHandler } from '@mintmark/adapter-fetch'
import { createRegistrationServer, type RegistrationEvent } from '@mintmark/registration'
import { Hono } from 'hono'

import { type AuthorizationServerSettings, createMcpAuthorizationServer } from './authorization-server.ts'
import { createNotesServer } from './mcp-server.ts'

interface AppSettings extends AuthorizationServerSettings {
  readonly onRegistration?: (event: RegistrationEvent) => void
}

/**
 * Mounts the authorization server with its registration endpoint and the MCP server on one origin. Clients of the protocol version 2025-03-26, which do
 * not support protected resource metadata, look for the authorization server's metadata at the origin of the MCP server.
 */
export async function createApp({ onRegistration, ...settings }: AppSettings): Promise<Hono> {
  const server = await createMcpAuthorizationServer(settings)
  await server.ready()
  const registration = createRegistrationServer({
    issuer: settings.issuer,
    storage: settings.storage,
    openRegistration: server.openRegistration,
    ...(onRegistration !== undefined && { onEvent: onRegistration }),
  })
  const mintmark = toFetchHandler(server, registration)
  const notes = createNotesServer(settings)

  const app = new Hono()
  app.use(async (context, next) => (await notes(context.req.raw)) ?? (await mintmark(context.req.raw)) ?? next())
  return app
}
