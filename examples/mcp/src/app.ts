import { toFetchHandler } from '@mintmark/adapter-fetch'
import { Hono } from 'hono'

import { type AuthorizationServerSettings, createMcpAuthorizationServer } from './authorization-server.ts'
import { createNotesServer } from './mcp-server.ts'

/**
 * Mounts the authorization server and the MCP server on one origin. Clients of the protocol version 2025-03-26, which do
 * not support protected resource metadata, look for the authorization server's metadata at the origin of the MCP server.
 */
export async function createApp(settings: AuthorizationServerSettings): Promise<Hono> {
  const server = await createMcpAuthorizationServer(settings)
  await server.ready()
  const mintmark = toFetchHandler(server)
  const notes = createNotesServer(settings)

  const app = new Hono()
  app.use(async (context, next) => (await notes(context.req.raw)) ?? (await mintmark(context.req.raw)) ?? next())
  return app
}
