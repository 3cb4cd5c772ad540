import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import { registerClient } from '@mintmark/core'
import { createResourceServer, protectExpress } from '@mintmark/resource-server'
import { auth, extractWWWAuthenticateParams, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import express from 'express'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/visit.ts'

let api: Server
let resource: string
let under: ServerUnderTest
beforeAll(async () => {
  api = createServer()
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  resource = `http://127.0.0.1:${(api.address() as AddressInfo).port}/mcp`
  under = await startLoopbackServer({
    scopes: { 'mcp.use': 'Use the tools' },
    resources: { [resource]: { scopes: ['mcp.use'] } },
  })
  api.on('request', protectedApi())
})
afterAll(async () => {
  await new Promise((resolve) => api.close(resolve))
  await under.close()
})

describe('the TypeScript client of the Model Context Protocol, registered beforehand', () => {
  it.each(['none', 'client_secret_basic', 'client_secret_post'] as const)(
    'RFC 9728 §5, RFC 8414 §3, RFC 8707 §2: from a challenge it finds the server, and gets a token for that API with PKCE as %s',
    async (method) => {
      const party = await registered(method)

      const begun = await auth(party.provider, await challenged())
      const { location } = await visit(under, party.sentTo())
      const done = await auth(party.provider, { serverUrl: resource, authorizationCode: location.searchParams.get('code') ?? '' })

      expect([begun, done]).toEqual(['REDIRECT', 'AUTHORIZED'])
      expect(decodeJwt(party.tokens()?.access_token ?? '')).toMatchObject({ aud: resource, scope: 'mcp.use', sub: 'U1' })
      expect(await callApi(party.tokens()?.access_token)).toEqual({ status: 200, body: { subject: 'U1' } })
    },
  )

  it('RFC 6749 §6, RFC 8707 §2.2: it refreshes, for the same API', async () => {
    const party = await registered('none', 'mcp.use offline_access')
    await auth(party.provider, { serverUrl: resource, scope: 'mcp.use offline_access' })
    const { location } = await visit(under, party.sentTo())
    await auth(party.provider, { serverUrl: resource, authorizationCode: location.searchParams.get('code') ?? '' })
    const first = party.tokens()

    const renewed = await auth(party.provider, { serverUrl: resource })

    expect(renewed).toBe('AUTHORIZED')
    expect(party.tokens()?.refresh_token).not.toBe(first?.refresh_token)
    expect(decodeJwt(party.tokens()?.access_token ?? '')).toMatchObject({ aud: resource })
  })

  it('RFC 7591 §1: a client that is not registered hears that there is no registration', async () => {
    const party = await registered('none')
    const stranger = { ...party.provider, clientInformation: () => undefined }

    const refused = auth(stranger, { serverUrl: resource })

    await expect(refused).rejects.toThrow('Incompatible auth server: does not support dynamic client registration')
  })
})

function protectedApi() {
  const guard = protectExpress(createResourceServer({ issuer: under.issuer, audience: resource, scopes: ['mcp.use'] }))
  return express()
    .use(guard.metadata)
    .post('/mcp', guard.require('mcp.use'), (request, response) => {
      response.json({ subject: guard.token(request).subject })
    })
}

/** What the API's refusal of a call without a token tells the client. */
async function challenged() {
  const refusal = await fetch(resource, { method: 'POST' })
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refusal)
  return { serverUrl: resource, ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
}

async function callApi(bearer: string | undefined) {
  const reply = await fetch(resource, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } })
  return { status: reply.status, body: (await reply.json()) as unknown }
}

/** A client that keeps all in memory, as the documentation of the SDK says to write it. */
async function registered(method: 'none' | 'client_secret_basic' | 'client_secret_post', scope = 'mcp.use') {
  const redirectUrl = 'http://localhost:3118/callback'
  const { client, clientSecret } = await registerClient(
    {
      clientName: 'Tools',
      tokenEndpointAuthMethod: method,
      redirectUris: [redirectUrl],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: scope.split(' '),
    },
    { storage: under.storage },
  )
  let information: OAuthClientInformationMixed = {
    client_id: client.clientId,
    token_endpoint_auth_method: method,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
  }
  let tokens: OAuthTokens | undefined
  let verifier = ''
  let sentTo: URL | undefined
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], scope },
    clientInformation: () => information,
    saveClientInformation: (saved) => void (information = saved),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    codeVerifier: () => verifier,
    saveCodeVerifier: (saved) => void (verifier = saved),
    redirectToAuthorization: (url) => void (sentTo = url),
  }
  return { provider, tokens: () => tokens, sentTo: () => sentTo ?? new URL('missing:') }
}
