import { clientId } from '@mintmark/storage-interface'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'

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
