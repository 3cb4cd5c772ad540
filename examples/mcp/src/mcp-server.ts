import { createResourceServer, protectFetch } from '@mintmark/resource-server'
import {
  createMcpHandler,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  requireScopes,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The scope values of the MCP server, with the sentences that the consent page shows for them. */
export const noteScopes = { 'notes.read': 'Read your notes', 'notes.write': 'Write notes for you' } as const

export interface McpServerSettings {
  readonly issuer: string
  /** The public URL of the MCP server. Access tokens must have it as their audience. */
  readonly resource: string
}

/**
 * Creates an MCP server with two tools, for clients of the protocol versions up to 2026-07-28. Each token must have the
 * scope value `notes.read`. `add_note` also needs `notes.write`: for a token without it, the client asks the user.
 * @returns a handler that returns `undefined` for requests that are not for the MCP server.
 */
export function createNotesServer({
  issuer,
  resource,
}: McpServerSettings): (request: Request) => Promise<Response | undefined> {
  const api = createResourceServer({ issuer, audience: resource, scopes: ['notes.read'] })
  const guard = protectFetch(api)
  const notes = new Map<string, readonly string[]>()
  // The handler creates a server for each request, so that no data of one user is left for the next user.
  const handler = createMcpHandler(({ authInfo }) => createUserServer(String(authInfo?.extra?.['subject']), notes))

  const protectedHandler = guard.require(['notes.read'], (request, { clientId, scopes, expiresAt, subject }) =>
    handler.fetch(request, {
      authInfo: {
        // MCP forbids passing the client's token on to other APIs, so no tool needs it.
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
    // MCP, Streamable HTTP: a server on the user's device must check `Origin` to prevent DNS rebinding.
    return originValidationResponse(request, localhostAllowedOrigins()) ?? protectedHandler(request)
  }
}

function createUserServer(subject: string, notes: Map<string, readonly string[]>): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('list_notes', { description: "Lists the user's notes", inputSchema: z.object({}) }, () =>
    textResult((notes.get(subject) ?? []).join('\n') || 'No notes yet.'),
  )
  server.registerTool(
    'add_note',
    {
      description: 'Adds a note',
      inputSchema: z.object({ text: z.string().max(1000) }),
      // If the token lacks one of them, the response is 403 with a challenge that names both (RFC 6750 §3.1).
      scopeChallenge: requireScopes('notes.read', 'notes.write'),
    },
    ({ text }) => {
      notes.set(subject, [...(notes.get(subject) ?? []), text])
      return textResult('Added.')
    },
  )
  return server
}

const textResult = (text: string) => ({ content: [{ type: 'text' as const, text }] })
