import type * as secondGeneration from '@modelcontextprotocol/client'
import type * as firstGeneration from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { visit } from '../support/visit.ts'
import { startToolsApi, type ToolsApi } from './tools-api.ts'

type Library = typeof firstGeneration | typeof secondGeneration

/**
 * The Model Context Protocol's requirements on an authorization server, with a pre-registered client, through either
 * TypeScript SDK.
 */
export function describeModelContextProtocol(name: string, { auth, extractWWWAuthenticateParams }: Library): void {
  describe(name, () => {
    let api: ToolsApi
    beforeAll(async () => {
      api = await startToolsApi()
    })
    afterAll(() => api.close())

    it.each(['none', 'client_secret_basic', 'client_secret_post'] as const)(
      'discovers the server from a challenge and gets a token for that API with PKCE as %s (RFC 9728 §5, RFC 8414 §3, RFC 8707 §2)',
      async (method) => {
        const party = await registeredParty(api, method)
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await api.call())
        const challenge = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }

        const begun = await auth(party.provider, { serverUrl: api.resource, ...challenge })
        const done = await auth(party.provider, await party.answered())
        const answer = await api.call(party.tokens()?.access_token)

        expect([begun, done]).toEqual(['REDIRECT', 'AUTHORIZED'])
        expect(decodeJwt(party.tokens()?.access_token ?? '')).toMatchObject({
          aud: api.resource,
          scope: 'mcp.use',
          sub: 'U1',
        })
        expect([answer.status, await answer.json()]).toEqual([200, { subject: 'U1' }])
      },
    )

    it('refreshes for the same API (RFC 6749 §6, RFC 8707 §2.2)', async () => {
      const party = await registeredParty(api, 'none', 'mcp.use offline_access')
      await auth(party.provider, { serverUrl: api.resource, scope: 'mcp.use offline_access' })
      await auth(party.provider, await party.answered())
      const before = party.tokens()

      const renewed = await auth(party.provider, { serverUrl: api.resource })

      expect(renewed).toBe('AUTHORIZED')
      expect(party.tokens()?.refresh_token).not.toBe(before?.refresh_token)
      expect(decodeJwt(party.tokens()?.access_token ?? '')).toMatchObject({ aud: api.resource })
    })

    it('an unregistered client learns that there is no registration endpoint (RFC 7591 §1)', async () => {
      const party = await registeredParty(api, 'none')
      const stranger = { ...party.provider, clientInformation: () => undefined }

      const refused = auth(stranger, { serverUrl: api.resource })

      await expect(refused).rejects.toThrow('does not support dynamic client registration')
    })
  })
}

/** A client that keeps everything in memory, as the libraries' documentation shows it. */
async function registeredParty(
  api: ToolsApi,
  method: 'none' | 'client_secret_basic' | 'client_secret_post',
  scope = 'mcp.use',
) {
  const redirectUrl = 'http://localhost:3118/callback'
  const { client, clientSecret } = await api.register({
    clientName: 'Tools',
    tokenEndpointAuthMethod: method,
    redirectUris: [redirectUrl],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: scope.split(' '),
  })
  let information: secondGeneration.StoredOAuthClientInformation = {
    client_id: client.clientId,
    issuer: api.under.issuer,
    token_endpoint_auth_method: method,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
  }
  let tokens: OAuthTokens | undefined
  let verifier = ''
  let discovered: (firstGeneration.OAuthDiscoveryState & secondGeneration.OAuthDiscoveryState) | undefined
  let sentTo = new URL('missing:')
  const provider: firstGeneration.OAuthClientProvider & secondGeneration.OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], scope },
    clientInformation: () => information,
    saveClientInformation: (saved) => void (information = saved),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    codeVerifier: () => verifier,
    saveCodeVerifier: (saved) => void (verifier = saved),
    discoveryState: () => discovered,
    saveDiscoveryState: (saved) => void (discovered = saved),
    redirectToAuthorization: (url) => void (sentTo = url),
  }

  return {
    provider,
    tokens: () => tokens,
    /**
     * The parameters of the authorization response that the client passes on; version 2 checks `iss` (RFC 9207 §2.4).
     */
    async answered() {
      const { searchParams } = (await visit(api.under, sentTo)).location
      return {
        serverUrl: api.resource,
        authorizationCode: searchParams.get('code') ?? '',
        iss: searchParams.get('iss') ?? '',
      }
    },
  }
}
