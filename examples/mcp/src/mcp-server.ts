import { createResourceServer, protectFetch } from '@mintmark/resource-server'
import {
  createMcpHandler,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  requireScopes,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The scope values of the MCP server, with their sentences for the consent page. */
export const noteScopes = { 'notes.read': 'Read your notes', 'notes.write': 'Write notes for you' } as const

export interface McpServerSettings {
  readonly issuer: string
  /** The public URL of the MCP server. Access tokens must have it as their audience. */
  readonly resource: string
}

/**
 * An MCP server with two tools, for clients of the protocol versions up to 2026-07-28. Each token must allow `notes.read`;
 * `add_note` needs `notes.write` too, for which the client asks the user when the tool is called.
 * @returns a handler that answers `undefined` to requests that are not for the MCP server.
 */
export function createNotesServer({
  issuer,
  resource,
}: McpServerSettings): (request: Request) => Promise<Response | undefined> {
  const api = createResourceServer({ issuer, audience: resource, scopes: ['notes.read'] })
  const guard = protectFetch(api)
  const notes = new Map<string, readonly string[]>()
  // The handler creates a server for each request: nothing of one user remains for the next.
  const handler = createMcpHandler(({ authInfo }) => notesOf(String(authInfo?.extra?.['subject']), notes))

  const protectedHandler = guard.require(['notes.read'], (request, { clientId, scopes, expiresAt, subject }) =>
    handler.fetch(request, {
      authInfo: {
        // MCP forbids to pass the client's token on to other APIs, so that no tool needs it.
        token: '',
        clientId,
        scopes: [...scopes],
        expiresAt,
        extra: { subject },
        ...(api.metadata && { resourceMetadataUrl: api.metadata.url }),
      },
    }),
  )

  return async (request) => {
    const metadata = guard.metadata(request)
    if (metadata !== undefined || new URL(request.url).pathname !== new URL(resource).pathname) return metadata
    // MCP, Streamable HTTP: a server on this device checks the origin of browsers (DNS rebinding).
    return originValidationResponse(request, localhostAllowedOrigins()) ?? protectedHandler(request)
  }
}

function notesOf(subject: string, notes: Map<string, readonly string[]>): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('list_notes', { description: "Lists the user's notes", inputSchema: z.object({}) }, () =>
    answer((notes.get(subject) ?? []).join('\n') || 'No notes yet.'),
  )
  server.registerTool(
    'add_note',
    {
      description: 'Adds a note',
      inputSchema: z.object({ text: z.string().max(1000) }),
      // A token without them is answered with 403 and a challenge that names both (RFC 6750 §3.1).
      scopeChallenge: requireScopes('notes.read', 'notes.write'),
    },
    ({ text }) => {
      notes.set(subject, [...(notes.get(subject) ?? []), text])
      return answer('Added.')
    },
  )
  return server
}

const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] })
