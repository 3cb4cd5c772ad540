import { registerClient } from '@mintmark/core'
import { exportJWK } from 'jose'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startFapiExample, type FapiExample } from '../../examples/fapi/src/example.ts'
import { fetchOverTls } from '../../examples/fapi/src/tls.ts'
import { openFormBrowser } from '../support/form-browser.ts'
import { startLoopbackServer } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'

describe('openid-client in examples/fapi', () => {
  let example: FapiExample
  let fetch: typeof globalThis.fetch
  beforeAll(async () => {
    example = await startFapiExample({ port: 0 })
    fetch = fetchOverTls(example.authority)
  })
  afterAll(() => example.close())

  it.each([
    ['dpop', 'dpop'],
    ['mtls', 'bearer'],
  ])(
    'as shop-%s pushes a request for a payment, which the user approves and the API executes (RFC 9126, RFC 9396, FAPI 2.0 SP §5.3)',
    async (name, tokenType) => {
      const browser = openFormBrowser((input, init) => fetch(input, { ...init, redirect: 'manual' }))
      const login = await browser.open(`${example.shop}/pay/${name}`)
      const consent = await browser.fillIn(login, { username: 'ann', password: 'example' })
      const paid = await browser.fillIn(consent, { decision: 'allow', 'choice.0': 'savings' })

      expect(consent.text).toContain('12.00 EUR')
      expect(JSON.parse(paid.text)).toMatchObject({
        tokenType,
        approved: [{ type: 'payment', amount: '12.00', creditor: 'Example Ltd.', account: 'savings' }],
        paid: { paid: '12.00', to: 'Example Ltd.', from: 'savings' },
        date: expect.stringMatching(/GMT$/) as unknown,
      })
    },
  )

  it('the API refuses a request without a token, with a DPoP challenge (RFC 9449 §7.1)', async () => {
    const reply = await fetch(example.payments, { method: 'POST' })

    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^DPoP /)])
  })
})

describe('openid-client with message signing', () => {
  it('pushes a signed request with a proof, verifies the signed response, and gets bound tokens (RFC 9126, RFC 9101, JARM, RFC 9449)', async () => {
    const site = await startLoopbackServer({ dpop: { nonces: 'required' } })
    onTestFinished(() => site.close())
    const pair = await client.randomDPoPKeyPair('ES256', { extractable: true })
    const key = { key: pair.privateKey, kid: 'm1' }
    await registerClient(
      {
        clientId: 'bank',
        clientName: 'Bank',
        profile: 'fapi2_message_signing',
        redirectUris: ['https://bank.test/cb'],
        grantTypes: ['authorization_code', 'refresh_token'],
        tokenEndpointAuthMethod: 'private_key_jwt',
        jwks: { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'm1', alg: 'ES256' }] },
        scopes: ['openid', 'profile', 'offline_access'],
        requirePkce: true,
        requirePushedAuthorizationRequests: true,
        requireSignedRequestObject: true,
        requestObjectSigningAlg: 'ES256',
        authorizationSignedResponseAlg: 'ES256',
        introspectionSignedResponseAlg: 'ES256',
        idTokenSignedResponseAlg: 'ES256',
        dpopBoundAccessTokens: true,
      },
      { storage: site.storage, keys: site.keys },
    )
    const algorithms = {
      authorization_signed_response_alg: 'ES256',
      id_token_signed_response_alg: 'ES256',
      introspection_signed_response_alg: 'ES256',
    }
    const config = await client.discovery(new URL(site.issuer), 'bank', algorithms, client.PrivateKeyJwt(key), {
      execute: [client.allowInsecureRequests, client.useJwtResponseMode, client.enableNonRepudiationChecks],
    })
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
    const checks = {
      pkceCodeVerifier: client.randomPKCECodeVerifier(),
      expectedState: client.randomState(),
      expectedNonce: client.randomNonce(),
    }

    const signed = await client.buildAuthorizationUrlWithJAR(
      config,
      {
        redirect_uri: 'https://bank.test/cb',
        scope: 'openid profile offline_access',
        code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: checks.expectedState,
        nonce: checks.expectedNonce,
      },
      key,
    )
    const url = await client.buildAuthorizationUrlWithPAR(config, signed.searchParams, { DPoP })
    const { location } = await visit(site, url)
    const tokens = await client.authorizationCodeGrant(config, location, checks, undefined, { DPoP })
    const info = await client.fetchUserInfo(config, tokens.access_token, 'U1', { DPoP })
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP })
    const state = await client.tokenIntrospection(config, renewed.access_token)

    expect([...location.searchParams.keys()]).toEqual(['response'])
    expect([tokens.token_type, renewed.token_type, info.name]).toEqual(['dpop', 'dpop', 'Ann Lee'])
    expect(state).toMatchObject({ active: true, cnf: { jkt: await DPoP.calculateThumbprint() } })
  })
})
