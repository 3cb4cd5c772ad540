import { randomBytes } from 'node:crypto'

import { serve } from '@hono/node-server'
import { onTestFinished } from 'vitest'
import type * as secondGeneration from '@modelcontextprotocol/client'
import type * as firstGeneration from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

import { createApp } from '../../examples/mcp/src/app.ts'
import { freePort } from '../support/free-port.ts'
import { navigate } from '../support/navigate.ts'
import { createCookieJar } from './cookie-jar.ts'

/** The URL of the client's metadata document. The `fetch` of this test returns the document to the example. */
export const documentUrl = 'https://tool.example/client.json'
const redirectUrl = 'http://127.0.0.1:3118/callback'

/** The running example examples/mcp. */
export interface McpExample {
  readonly issuer: string
  readonly resource: URL
  /** Every request so far: method and path, and the parameter `resource` of the query or form. */
  readonly requests: readonly ReceivedRequest[]
}

interface ReceivedRequest {
  readonly line: string
  readonly resource: string | null
}

/** @param change replaces responses, to imitate MCP servers that respond differently. */
export async function startMcpExample(
  change: (response: Response, path: string) => Response = (response) => response,
): Promise<McpExample> {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const requests: ReceivedRequest[] = []
  const app = await createApp({
    issuer,
    resource: `${issuer}/mcp`,
    storage: createMemoryStorage({ issuer }),
    sealingKey: randomBytes(32).toString('base64url'),
    onEvent: () => undefined,
    fetch: () =>
      Promise.resolve(
        Response.json({
          client_id: documentUrl,
          client_name: 'Tool',
          redirect_uris: [redirectUrl],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'none',
        }),
      ),
  })
  const listening = serve({
    port,
    hostname: 'localhost',
    // Other tests of this process compare responses with the `Response` of Node.
    overrideGlobalObjects: false,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      const isForm = pathname === '/token'
      const form = isForm ? new URLSearchParams(await request.clone().text()) : searchParams
      requests.push({ line: `${request.method} ${pathname}`, resource: form.get('resource') })
      return change(await app.fetch(request), pathname)
    },
  })
  await new Promise<void>((resolve) => listening.once('listening', resolve))
  onTestFinished(() => void listening.close())
  return { issuer, resource: new URL(`${issuer}/mcp`), requests }
}

/** Signs Ann in and consents to everything. @returns the parameters of the authorization response. */
export async function approve(start: URL): Promise<URLSearchParams> {
  const jar = createCookieJar()
  const visit = async (url: URL, body?: URLSearchParams): Promise<URL | string> => {
    const reply = await navigate(url, {
      headers: { cookie: jar.header(url), ...(body && { origin: url.origin }) },
      ...(body && { method: 'POST', body }),
    })
    jar.store(url, reply.headers.getSetCookie())
    const location = reply.headers.get('location')
    return location === null ? reply.text() : new URL(location, url)
  }
  const login = expectUrl(await visit(start))
  const consent = expectUrl(await visit(login, new URLSearchParams({ username: 'ann', password: 'example' })))
  const page = await visit(consent)
  const scopes = [...String(page).matchAll(/name="scope" value="([^"]*)"/g)].map(([, value = '']) => ['scope', value])
  return expectUrl(await visit(consent, new URLSearchParams([['decision', 'allow'], ...scopes]))).searchParams
}

function expectUrl(value: URL | string): URL {
  if (typeof value === 'string') throw new Error(`The browser was not redirected: ${value.slice(0, 2000)}`)
  return value
}

export type Provider = firstGeneration.OAuthClientProvider & secondGeneration.OAuthClientProvider

/** The values that an MCP client stores, in memory, as the documentation of both libraries shows. */
export interface ClientMemory {
  readonly provider: Provider
  readonly tokens: () => OAuthTokens | undefined
  /** Makes the access token invalid. */
  readonly invalidateAccessToken: () => void
  /** The last URL to which the library sent the browser. */
  readonly redirectedTo: () => URL
}

/**
 * @param clientId identifies a registered client. Without it, the client uses its metadata document; with
 *   `to_be_registered`, it has no document, so it registers itself.
 */
export function createClientMemory(issuer: string, clientId?: string): ClientMemory {
  let information: secondGeneration.StoredOAuthClientInformation | undefined =
    clientId === undefined || clientId === 'to_be_registered' ? undefined : { client_id: clientId, issuer }
  let tokens: OAuthTokens | undefined
  let verifier = ''
  let discovered: (firstGeneration.OAuthDiscoveryState & secondGeneration.OAuthDiscoveryState) | undefined
  let redirectedTo = new URL('missing:')
  return {
    provider: {
      redirectUrl,
      ...(clientId !== 'to_be_registered' && { clientMetadataUrl: documentUrl }),
      clientMetadata: {
        redirect_uris: [redirectUrl],
        client_name: 'Tool',
        grant_types: ['authorization_code', 'refresh_token'],
      },
      clientInformation: () => information,
      saveClientInformation: (saved) => void (information = saved),
      tokens: () => tokens,
      saveTokens: (saved) => void (tokens = saved),
      codeVerifier: () => verifier,
      saveCodeVerifier: (saved) => void (verifier = saved),
      discoveryState: () => discovered,
      saveDiscoveryState: (saved) => void (discovered = saved),
      redirectToAuthorization: (url) => void (redirectedTo = url),
    },
    tokens: () => tokens,
    invalidateAccessToken: () =>
      void (tokens &&= { ...tokens, access_token: `${tokens.access_token.slice(0, -8)}AAAAAAAA` }),
    redirectedTo: () => redirectedTo,
  }
}
