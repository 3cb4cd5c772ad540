import { clientId } from '@mintmark/storage-interface'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'
import { authorizationUrl, insecure, libraryClients, type LibraryClient } from './oauth4webapi-server.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startLoopbackServer()
  await changeClient(site.storage, clientId('B'), {
    requirePushedAuthorizationRequests: true,
    requireSignedRequestObject: true,
    requestObjectSigningAlg: 'ES256',
    authorizationSignedResponseAlg: 'ES256',
  })
})
afterAll(() => site.close())

describe('openid-client', () => {
  it('pushes a request with client_secret_basic (RFC 9126 §2)', async () => {
    const config = await configure('A', client.ClientSecretBasic(site.clients.A.secret))
    const { parameters, checks } = await createRequest('https://app.test/cb')

    const url = await client.buildAuthorizationUrlWithPAR(config, parameters)
    const { location } = await visit(site, url)
    const tokens = await client.authorizationCodeGrant(config, location, checks)

    expect([...url.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri'])
    expect(tokens.claims()?.sub).toBe('U1')
  })

  it('pushes a signed request, and verifies a signed response (RFC 9126 §3, RFC 9101, JARM)', async () => {
    const key = { key: site.clients.B.privateKey, kid: 'b1' }
    const config = await configure('B', client.PrivateKeyJwt(key), { authorization_signed_response_alg: 'ES256' })
    client.useJwtResponseMode(config)
    const { parameters, checks } = await createRequest('https://b.test/cb')

    const signed = await client.buildAuthorizationUrlWithJAR(config, parameters, key)
    const url = await client.buildAuthorizationUrlWithPAR(config, signed.searchParams)
    const { location } = await visit(site, url)
    const tokens = await client.authorizationCodeGrant(config, location, checks)

    expect([...location.searchParams.keys()]).toEqual(['response'])
    expect(tokens.claims()?.sub).toBe('U1')
  })

  it('reports why the server refuses a pushed request (RFC 9126 §2.3)', async () => {
    const config = await configure('A', client.ClientSecretBasic(site.clients.A.secret))
    const { parameters } = await createRequest('https://evil.test/cb')

    await expect(client.buildAuthorizationUrlWithPAR(config, parameters)).rejects.toMatchObject({
      error: 'invalid_request',
      status: 400,
    })
  })
})

describe('oauth4webapi', () => {
  it('pushes a signed request, and verifies a signed response (RFC 9126 §3, RFC 9101, JARM)', async () => {
    const party = withSignedResponses((await libraryClients(site)).B)
    const { as, authentication, redirectUri } = party
    const expected = await authorizationUrl(party, { response_mode: 'jwt' })
    const key = { key: site.clients.B.privateKey, kid: 'b1' }

    const object = await oauth.issueRequestObject(as, party.client, expected.url.searchParams, key)
    const response = await oauth.pushedAuthorizationRequest(
      as,
      party.client,
      authentication,
      { request: object },
      insecure,
    )
    const { request_uri: reference } = await oauth.processPushedAuthorizationResponse(as, party.client, response)
    const url = new URL(as.authorization_endpoint ?? '')
    url.search = new URLSearchParams({ client_id: 'B', request_uri: reference }).toString()
    const { location } = await visit(site, url)
    const parameters = await oauth.validateJwtAuthResponse(as, party.client, location, expected.state, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      party.client,
      await oauth.authorizationCodeGrantRequest(
        as,
        party.client,
        authentication,
        parameters,
        redirectUri,
        expected.verifier,
        insecure,
      ),
      { expectedNonce: expected.nonce, requireIdToken: true },
    )

    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('U1')
  })
})

const withSignedResponses = (party: LibraryClient): LibraryClient => ({
  ...party,
  client: { ...party.client, authorization_signed_response_alg: 'ES256' },
})

const configure = (
  id: string,
  authentication: client.ClientAuth,
  metadata: Partial<client.ClientMetadata> = {},
): Promise<client.Configuration> =>
  client.discovery(new URL(site.issuer), id, metadata, authentication, { execute: [client.allowInsecureRequests] })

async function createRequest(redirectUri: string) {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  }
  const parameters = {
    redirect_uri: redirectUri,
    scope: 'openid profile offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  }
  return { parameters, checks }
}
