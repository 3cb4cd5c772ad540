import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { postedParameters, visit } from '../support/interaction-steps.ts'
import {
  authorizationUrl,
  discover,
  libraryClients,
  redeemCallback,
  signIn,
  type LibraryClient,
} from './oauth4webapi-server.ts'

let site: ServerUnderTest
let clients: Readonly<Record<'A' | 'B' | 'P' | 'X', LibraryClient>>
beforeAll(async () => {
  site = await startLoopbackServer()
  clients = await libraryClients(site)
})
afterAll(() => site.close())

describe('oauth4webapi discovers the server', () => {
  it.each(['oidc', 'oauth2'] as const)('accepts %s discovery (OIDC Discovery §4, RFC 8414 §3)', async (algorithm) => {
    const as = await discover(site, algorithm)

    expect(as.issuer).toBe(site.issuer)
    expect(as.token_endpoint).toBe(`${site.issuer}/token`)
  })
})

describe('oauth4webapi signs a user in', () => {
  it.each([
    ['P', 'none'],
    ['A', 'client_secret_basic'],
    ['X', 'client_secret_post'],
    ['B', 'private_key_jwt'],
  ] as const)(
    'client %s with %s receives an ID token that passes every check (OIDC Core §3.1)',
    async (name, _method) => {
      const tokens = await signIn(site, clients[name])

      const claims = oauth.getValidatedIdTokenClaims(tokens)
      expect(claims).toMatchObject({
        iss: site.issuer,
        sub: 'U1',
        aud: name,
        name: 'Ann Lee',
        at_hash: expect.any(String) as string,
      })
      expect(tokens).toMatchObject({
        token_type: 'bearer',
        expires_in: 600,
        refresh_token: expect.any(String) as string,
      })
    },
  )

  it('requires auth_time after max_age, and the ID token has a recent one (OIDC Core §2)', async () => {
    const expected = await authorizationUrl(clients.A, { max_age: '60' })
    const { location } = await visit(site, expected.url)

    const tokens = await redeemCallback(clients.A, { ...expected, callback: location, maxAge: 60 })

    expect(oauth.getValidatedIdTokenClaims(tokens)?.auth_time).toBeTypeOf('number')
  })

  it('accepts the parameters that a form_post response posts (Form Post Response Mode §2)', async () => {
    const expected = await authorizationUrl(clients.P, { response_mode: 'form_post' })
    const page = await visit(site, expected.url)

    const tokens = await redeemCallback(clients.P, { ...expected, callback: postedParameters(page) })

    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('U1')
  })

  it('reports an error response as such (RFC 6749 §4.1.2.1)', async () => {
    const expected = await authorizationUrl(clients.A, { prompt: 'none', max_age: '0' })
    const { location } = await visit(site, expected.url)

    const validate = () => oauth.validateAuthResponse(clients.A.as, clients.A.client, location, expected.state)

    expect(validate).toThrow(
      expect.objectContaining({ code: oauth.AUTHORIZATION_RESPONSE_ERROR, error: 'login_required' }),
    )
  })
})

describe('oauth4webapi checks responses', () => {
  it.each([
    ['with another issuer (RFC 9207 §2.4)', 'iss', 'https://evil.test'],
    ['without an issuer (RFC 9207 §2.4)', 'iss', undefined],
    ['with another state (RFC 6749 §10.12)', 'state', 'other'],
  ])('rejects a response %s', async (_title, name, value) => {
    const expected = await authorizationUrl(clients.A)
    const { location } = await visit(site, expected.url)
    if (value === undefined) location.searchParams.delete(name)
    else location.searchParams.set(name, value)

    const redeemed = redeemCallback(clients.A, { ...expected, callback: location })

    await expect(redeemed).rejects.toMatchObject({ code: oauth.INVALID_RESPONSE })
  })

  it('rejects a nonce that it did not send (OIDC Core §3.1.3.7)', async () => {
    const expected = await authorizationUrl(clients.A)
    const { location } = await visit(site, expected.url)

    const redeemed = redeemCallback(clients.A, { ...expected, callback: location, nonce: 'other' })

    await expect(redeemed).rejects.toMatchObject({ code: oauth.JWT_CLAIM_COMPARISON })
  })

  it('the server rejects its wrong verifier with an error it understands (RFC 7636 §4.6)', async () => {
    const expected = await authorizationUrl(clients.P)
    const { location } = await visit(site, expected.url)

    const redeemed = redeemCallback(clients.P, {
      ...expected,
      callback: location,
      verifier: oauth.generateRandomCodeVerifier(),
    })

    await expect(redeemed).rejects.toMatchObject({
      code: oauth.RESPONSE_BODY_ERROR,
      error: 'invalid_grant',
      status: 400,
    })
  })

  it('the server rejects its wrong secret with a challenge it understands (RFC 6749 §5.2)', async () => {
    const wrong = { ...clients.A, authentication: oauth.ClientSecretBasic('wrong') }

    const refused = signIn(site, wrong)

    await expect(refused).rejects.toMatchObject({ code: oauth.WWW_AUTHENTICATE_CHALLENGE, status: 401 })
    expect(site.lastReason()).toBe('client_credentials_wrong')
  })
})
