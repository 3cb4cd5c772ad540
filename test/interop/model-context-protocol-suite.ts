import type * as secondGeneration from '@modelcontextprotocol/client'
import type * as firstGeneration from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { decodeJwt } from 'jose'
import { toFetch } from '@mintmark/adapter-fetch'
import { createAdministration } from '@mintmark/admin'
import { createRegistrationServer } from '@mintmark/registration'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'
import { startToolsApi, type ToolsApi } from './tools-api.ts'

type Library = typeof firstGeneration | typeof secondGeneration

/** Tests what the Model Context Protocol requires of an authorization server, with either TypeScript SDK. */
export function describeModelContextProtocol(
  name: string,
  { auth, discoverAuthorizationServerMetadata, extractWWWAuthenticateParams }: Library,
): void {
  describe(name, () => {
    let api: ToolsApi
    beforeAll(async () => {
      api = await startToolsApi()
    })
    afterAll(() => api.close())

    it.each(['none', 'client_secret_basic', 'client_secret_post'] as const)(
      'discovers the server from a challenge and gets a token for the API with PKCE and the authentication method %s (RFC 9728 §5, RFC 8414 §3, RFC 8707 §2)',
      async (method) => {
        const client = await createRegisteredClient(api, method)
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await api.call())
        const challenge = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }

        const begun = await auth(client.provider, { serverUrl: api.resource, ...challenge })
        const done = await auth(client.provider, await client.receiveResponse())
        const answer = await api.call(client.tokens()?.access_token)

        expect([begun, done]).toEqual(['REDIRECT', 'AUTHORIZED'])
        expect(decodeJwt(client.tokens()?.access_token ?? '')).toMatchObject({
          aud: api.resource,
          scope: 'mcp.use',
          sub: 'U1',
        })
        expect([answer.status, await answer.json()]).toEqual([200, { subject: 'U1' }])
      },
    )

    it('refreshes for the same API (RFC 6749 §6, RFC 8707 §2.2)', async () => {
      const client = await createRegisteredClient(api, 'none', 'mcp.use offline_access')
      await auth(client.provider, { serverUrl: api.resource, scope: 'mcp.use offline_access' })
      await auth(client.provider, await client.receiveResponse())
      const before = client.tokens()

      const renewed = await auth(client.provider, { serverUrl: api.resource })

      expect(renewed).toBe('AUTHORIZED')
      expect(client.tokens()?.refresh_token).not.toBe(before?.refresh_token)
      expect(decodeJwt(client.tokens()?.access_token ?? '')).toMatchObject({ aud: api.resource })
    })

    it.each([0, 1, 2])(
      'reads the metadata of an issuer with a path; number of failed attempts before: %i (RFC 8414 §3.1, §5)',
      async (missing) => {
        const issuer = 'https://as.test/tenant'
        const site = await startServer({ issuer })
        onTestFinished(() => site.close())
        const tried: string[] = []

        const metadata = await discoverAuthorizationServerMetadata(issuer, {
          fetchFn: async (url) => {
            const { pathname } = new URL(url)
            tried.push(pathname)
            if (tried.length <= missing) return new Response(null, { status: 404 })
            const { status, text } = await site.send({ path: pathname })
            return new Response(text, { status, headers: { 'content-type': 'application/json' } })
          },
        })

        expect(metadata).toMatchObject({ issuer, token_endpoint: `${issuer}/token` })
      },
    )

    it('registers itself with an initial access token and signs a user in (RFC 7591 §3)', async () => {
      const { site, resource, fetchFn } = await startWithRegistration()
      const client = createMemoryClient({ site, resource, scope: 'mcp.use offline_access' })

      await auth(client.provider, { serverUrl: resource, scope: 'mcp.use', fetchFn })
      const done = await auth(client.provider, { ...(await client.receiveResponse()), fetchFn })

      expect(done).toBe('AUTHORIZED')
      const clients = await site.storage.clients.list({ after: undefined, limit: 100 })
      expect(decodeJwt(client.tokens()?.access_token ?? '')).toMatchObject({
        aud: resource,
        client_id: clients.find(({ origin }) => origin === 'registration')?.clientId,
      })
    })

    it('an unregistered client learns that there is no registration endpoint (RFC 7591 §1)', async () => {
      const client = await createRegisteredClient(api, 'none')
      const stranger = { ...client.provider, clientInformation: () => undefined }

      const refused = auth(stranger, { serverUrl: api.resource })

      await expect(refused).rejects.toThrow('does not support dynamic client registration')
    })
  })
}

/** Starts a server that registers clients with an initial access token; the libraries reach it without a network. */
async function startWithRegistration() {
  const issuer = 'https://as.test'
  const resource = 'https://api.test/mcp'
  const site = await startServer({
    issuer,
    scopes: { 'mcp.use': 'Use the tools' },
    resources: { [resource]: { scopes: ['mcp.use'] } },
    discovery: { registrationEndpoint: `${issuer}/register` },
  })
  onTestFinished(() => site.close())
  const { storage, clock } = site
  const admin = createAdministration({ storage, clock: clock.now }).as({ kind: 'host', id: 'test' })
  const { initialAccessToken } = await admin.initialAccessTokens.create({
    displayName: 'Tools',
    clients: 1,
    lifetime: 3600,
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['mcp.use', 'offline_access'],
    redirectHosts: ['localhost'],
  })
  const register = toFetch(createRegistrationServer({ issuer, storage, clock: clock.now }))

  /** Adds the initial access token to the libraries' requests, because they have no setting for it. */
  const fetchFn = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input)
    const headers = new Headers(init.headers)
    if (url.pathname === '/register') headers.set('authorization', `Bearer ${initialAccessToken}`)
    if (url.pathname === '/register') return register(new Request(url, { ...init, headers }))
    if (url.origin !== issuer)
      return url.pathname === '/.well-known/oauth-protected-resource/mcp'
        ? Response.json({ resource, authorization_servers: [issuer] })
        : new Response(null, { status: 404 })
    const { status, text } = await site.send({
      method: init.method ?? 'GET',
      path: url.pathname,
      headers: Object.fromEntries(headers),
      ...(init.body instanceof URLSearchParams && { body: init.body.toString() }),
    })
    return new Response(text, { status, headers: { 'content-type': 'application/json' } })
  }
  return { site, resource, fetchFn }
}

/** Creates a client that an administrator has registered. */
async function createRegisteredClient(
  api: ToolsApi,
  method: 'none' | 'client_secret_basic' | 'client_secret_post',
  scope = 'mcp.use',
) {
  const { client, clientSecret } = await api.register({
    clientName: 'Tools',
    tokenEndpointAuthMethod: method,
    redirectUris: [redirectUrl],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: scope.split(' '),
  })
  return createMemoryClient({
    site: api.site,
    resource: api.resource,
    scope,
    registered: {
      client_id: client.clientId,
      issuer: api.site.issuer,
      token_endpoint_auth_method: method,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    },
  })
}

const redirectUrl = 'http://localhost:3118/callback'

interface ClientSettings {
  readonly site: ServerUnderTest
  readonly resource: string
  readonly scope?: string
  readonly registered?: secondGeneration.StoredOAuthClientInformation
}

/** Creates a client that stores everything in memory, as the libraries' documentation shows. */
function createMemoryClient({ site, resource, scope = 'mcp.use', registered }: ClientSettings) {
  let information = registered
  let tokens: OAuthTokens | undefined
  let verifier = ''
  let discovered: (firstGeneration.OAuthDiscoveryState & secondGeneration.OAuthDiscoveryState) | undefined
  let redirectedTo = new URL('missing:')
  const provider: firstGeneration.OAuthClientProvider & secondGeneration.OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Tools',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      // With these grant types, `@modelcontextprotocol/client` also requests `offline_access`.
      ...(registered === undefined && { grant_types: ['authorization_code', 'refresh_token'] }),
      scope,
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
  }

  return {
    provider,
    tokens: () => tokens,
    /**
     * Signs U1 in.
     * @returns the parameters of the authorization response for the library; version 2 checks `iss` (RFC 9207 §2.4).
     */
    async receiveResponse() {
      const { searchParams } = (await visit(site, redirectedTo)).location
      return {
        serverUrl: resource,
        authorizationCode: searchParams.get('code') ?? '',
        iss: searchParams.get('iss') ?? '',
      }
    },
  }
}
