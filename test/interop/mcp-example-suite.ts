import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'

import {
  approve,
  createClientMemory,
  documentUrl,
  startMcpExample,
  type McpExample,
  type Provider,
} from './mcp-example.ts'

/** One connection of an MCP client library. */
interface McpConnection {
  connect(): Promise<void>
  /** Calls a tool. @returns the text of the result. */
  call(tool: string, parameters?: Readonly<Record<string, unknown>>): Promise<string>
  /** Continues with the parameters of the authorization response, after the browser has returned with them. */
  finish(answer: URLSearchParams): Promise<void>
}

type OpenConnection = (server: URL, provider: Provider) => McpConnection

/** Tests an MCP client with examples/mcp, for either generation of the TypeScript SDK. */
export function describeMcpExample(
  name: string,
  { open, generation }: { readonly open: OpenConnection; readonly generation: 'first' | 'second' },
): void {
  /** Connects, signs Ann in when the library requests it, and connects again, as both libraries require. */
  async function signIn(example: McpExample, clientId?: string) {
    const memory = createClientMemory(example.issuer, clientId)
    const first = open(example.resource, memory.provider)
    await expect(first.connect()).rejects.toThrow(/Unauthorized/)
    await first.finish(await approve(memory.redirectedTo()))
    const connection = open(example.resource, memory.provider)
    await connection.connect()
    return { memory, connection }
  }

  describe(`${name}, with the example MCP server`, () => {
    it.each([
      ['its metadata document', undefined, documentUrl],
      ['a registered client', 'mcp-tool', 'mcp-tool'],
    ])('signs a user in with %s and calls a tool (Client ID Metadata Document §4)', async (_, clientId, expected) => {
      const example = await startMcpExample()

      const { memory, connection } = await signIn(example, clientId)

      expect(await connection.call('list_notes')).toBe('No notes yet.')
      expect(decodeJwt(memory.tokens()?.access_token ?? '')).toMatchObject({
        aud: example.resource.href,
        client_id: expected,
        sub: 'user-1',
      })
    })

    it('signs a user in without a document and without a registered client, by registering itself (RFC 7591 §3)', async () => {
      const example = await startMcpExample()

      const { memory, connection } = await signIn(example, 'to_be_registered')

      expect(await connection.call('list_notes')).toBe('No notes yet.')
      expect(decodeJwt(memory.tokens()?.access_token ?? '')).toMatchObject({
        aud: example.resource.href,
        client_id: expect.stringMatching(/^open\./) as string,
      })
    })

    it('names the MCP server as resource at both endpoints (RFC 8707 §2.1, §2.2)', async () => {
      const example = await startMcpExample()
      const { memory } = await signIn(example)

      const token = example.requests.find(({ line }) => line === 'POST /token')

      expect(memory.redirectedTo().searchParams.get('resource')).toBe(example.resource.href)
      expect(token?.resource).toBe(example.resource.href)
    })

    it('asks the user for a further scope when a tool needs it (RFC 6750 §3.1)', async () => {
      const example = await startMcpExample()
      const { memory, connection } = await signIn(example)

      await expect(connection.call('add_note', { text: 'Milk' })).rejects.toThrow(/Unauthorized/)
      expect(memory.redirectedTo().searchParams.get('scope')?.split(' ')).toEqual(
        expect.arrayContaining(['notes.read', 'notes.write']),
      )
      await connection.finish(await approve(memory.redirectedTo()))

      expect(await connection.call('add_note', { text: 'Milk' })).toBe('Added.')
      expect(await connection.call('list_notes')).toBe('Milk')
    })

    it.each<[string, (response: Response, path: string) => Response]>([
      ['a challenge without the URL of the metadata (RFC 9728 §3.1)', withoutMetadataAddress],
      [
        'no protected resource metadata (MCP 2025-03-26)',
        (response, path) => without('/.well-known/oauth-protected-resource')(withoutMetadataAddress(response), path),
      ],
      ['no RFC 8414 metadata (OIDC Discovery §4)', without('/.well-known/oauth-authorization-server')],
    ])('finds the authorization server with %s', async (_, change) => {
      const example = await startMcpExample(change)

      const { connection } = await signIn(example)

      expect(await connection.call('list_notes')).toBe('No notes yet.')
    })

    // The first generation requests no refresh token and does not check `iss`.
    if (generation === 'first') return

    it('refreshes when the access token is refused (RFC 6749 §6)', async () => {
      const example = await startMcpExample()
      const { memory, connection } = await signIn(example)
      const before = memory.tokens()
      memory.invalidateAccessToken()

      expect(await connection.call('list_notes')).toBe('No notes yet.')

      expect(memory.tokens()?.refresh_token).not.toBe(before?.refresh_token)
      expect(example.requests.filter(({ line }) => line === 'POST /token').map(({ resource }) => resource)).toEqual([
        example.resource.href,
        example.resource.href,
      ])
    })

    it.each(['https://evil.test', undefined])(
      'does not redeem a code if `iss` in the response is %s (RFC 9207 §2.4)',
      async (issuer) => {
        const example = await startMcpExample()
        const memory = createClientMemory(example.issuer)
        const connection = open(example.resource, memory.provider)
        await expect(connection.connect()).rejects.toThrow(/Unauthorized/)
        const answer = await approve(memory.redirectedTo())
        if (issuer === undefined) answer.delete('iss')
        else answer.set('iss', issuer)

        await expect(connection.finish(answer)).rejects.toThrow(/iss/i)

        expect(example.requests.map(({ line }) => line)).not.toContain('POST /token')
      },
    )
  })
}

/** Removes `resource_metadata` from the challenge, which older MCP servers do not send. */
function withoutMetadataAddress(response: Response): Response {
  const challenge = response.headers.get('www-authenticate')
  if (challenge === null) return response
  const headers = new Headers(response.headers)
  headers.set('www-authenticate', challenge.replace(/, resource_metadata="[^"]*"/, ''))
  return new Response(response.body, { status: response.status, headers })
}

const without =
  (prefix: string) =>
  (response: Response, path: string): Response =>
    path.startsWith(prefix) ? new Response(null, { status: 404 }) : response
