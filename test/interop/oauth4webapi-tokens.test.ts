import { clientId } from '@mintmark/storage-interface'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { insecure, libraryClients, signIn, type LibraryClient } from './oauth4webapi-server.ts'

let site: ServerUnderTest
let clients: Readonly<Record<'A' | 'B' | 'P' | 'X', LibraryClient>>
let machine: LibraryClient
let api: LibraryClient
beforeAll(async () => {
  site = await startLoopbackServer()
  clients = await libraryClients(site)
  const { as } = clients.A
  const { M, RS } = site.clients
  machine = { as, client: { client_id: 'M' }, authentication: oauth.ClientSecretBasic(M.secret), redirectUri: '' }
  api = { as, client: { client_id: 'RS' }, authentication: oauth.ClientSecretBasic(RS.secret), redirectUri: '' }
})
afterAll(() => site.close())

describe('oauth4webapi gets tokens', () => {
  it.each(['A', 'B', 'P', 'X'] as const)(
    'client %s refreshes, and the new ID token passes every check (OIDC Core §12.2)',
    async (name) => {
      const party = clients[name]
      const first = await signIn(site, party)

      const response = await oauth.refreshTokenGrantRequest(
        party.as,
        party.client,
        party.authentication,
        first.refresh_token ?? '',
        insecure,
      )
      const renewed = await oauth.processRefreshTokenResponse(party.as, party.client, response)
      await oauth.validateApplicationLevelSignature(party.as, response, insecure)

      expect(renewed.refresh_token).not.toBe(first.refresh_token)
      expect(oauth.getValidatedIdTokenClaims(renewed)).toMatchObject({ sub: 'U1', aud: name })
    },
  )

  it('a machine client gets an access token for itself (RFC 6749 §4.4)', async () => {
    const parameters = new URLSearchParams({ scope: 'api.read', resource: 'https://api.test' })

    const response = await oauth.clientCredentialsGrantRequest(
      machine.as,
      machine.client,
      machine.authentication,
      parameters,
      insecure,
    )
    const tokens = await oauth.processClientCredentialsResponse(machine.as, machine.client, response)

    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'api.read' })
    expect(tokens).not.toHaveProperty('refresh_token')
  })
})

describe('oauth4webapi introspects tokens', () => {
  it('the resource server learns what a token is for (RFC 7662 §2)', async () => {
    const tokens = await signIn(site, clients.A, { scope: 'openid api.read', resource: 'https://api.test' })

    const response = await introspect(api, tokens.access_token)
    const answer = await oauth.processIntrospectionResponse(api.as, api.client, response)

    expect(answer).toMatchObject({
      active: true,
      sub: 'U1',
      client_id: 'A',
      scope: 'openid api.read',
      iss: site.issuer,
    })
  })

  it('the signed response names its audience, and its signature verifies (RFC 9701 §5)', async () => {
    const tokens = await signIn(site, clients.A, { scope: 'openid api.read', resource: 'https://api.test' })

    const response = await introspect(api, tokens.access_token, { requestJwtResponse: true })
    const answer = await oauth.processIntrospectionResponse(api.as, api.client, response)
    await oauth.validateApplicationLevelSignature(api.as, response, insecure)

    expect(response.headers.get('content-type')).toBe('application/token-introspection+jwt')
    expect(answer).toMatchObject({ active: true, sub: 'U1' })
  })

  it.each(['access_token', 'refresh_token'] as const)('a revoked %s is inactive (RFC 7009 §2.1)', async (kind) => {
    const { as, client, authentication } = clients.A
    const tokens = await signIn(site, clients.A)
    const token = tokens[kind] ?? ''

    const response = await oauth.revocationRequest(as, client, authentication, token, insecure)
    await oauth.processRevocationResponse(response)

    const answer = await oauth.processIntrospectionResponse(as, client, await introspect(clients.A, token))
    expect(answer).toEqual({ active: false })
  })
})

describe('oauth4webapi calls userinfo', () => {
  it('gets the claims of the subject of the ID token (OIDC Core §5.3)', async () => {
    const { as, client } = clients.A
    const tokens = await signIn(site, clients.A, { scope: 'openid profile email' })

    const response = await oauth.userInfoRequest(as, client, tokens.access_token, insecure)
    const info = await oauth.processUserInfoResponse(as, client, 'U1', response)

    expect(info).toMatchObject({ sub: 'U1', name: 'Ann Lee', email: 'ann@example.test', email_verified: true })
  })

  it.each(['RS256', 'ES256'] as const)(
    'the response signed with %s names its issuer and audience, and verifies (OIDC Core §5.3.2)',
    async (alg) => {
      await changeClient(site.storage, clientId('B'), { userinfoSignedResponseAlg: alg })
      const client = { ...clients.B.client, userinfo_signed_response_alg: alg }
      const tokens = await signIn(site, clients.B)

      const response = await oauth.userInfoRequest(clients.B.as, client, tokens.access_token, insecure)
      const info = await oauth.processUserInfoResponse(clients.B.as, client, 'U1', response)
      await oauth.validateApplicationLevelSignature(clients.B.as, response, insecure)

      expect(info).toMatchObject({ iss: site.issuer, aud: 'B', name: 'Ann Lee' })
    },
  )

  it('a revoked token is rejected with a challenge that the library parses (RFC 6750 §3.1)', async () => {
    const { as, client, authentication } = clients.A
    const tokens = await signIn(site, clients.A)
    await oauth.revocationRequest(as, client, authentication, tokens.access_token, insecure)

    const response = await oauth.userInfoRequest(as, client, tokens.access_token, insecure)
    const processed = oauth.processUserInfoResponse(as, client, 'U1', response)

    await expect(processed).rejects.toMatchObject({
      code: oauth.WWW_AUTHENTICATE_CHALLENGE,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    })
  })
})

describe('oauth4webapi protects a resource', () => {
  it('accepts our access token for its audience and rejects an ID token (RFC 9068 §4)', async () => {
    const tokens = await signIn(site, clients.A, { scope: 'openid api.read', resource: 'https://api.test' })

    const claims = await validateBearer(tokens.access_token)
    const idToken = validateBearer(tokens.id_token ?? '')

    expect(claims).toMatchObject({ client_id: 'A', sub: 'U1', scope: 'openid api.read' })
    await expect(idToken).rejects.toThrow()
  })
})

const introspect = (
  caller: LibraryClient,
  token: string,
  options: { readonly requestJwtResponse?: boolean } = {},
): Promise<Response> =>
  oauth.introspectionRequest(caller.as, caller.client, caller.authentication, token, { ...insecure, ...options })

function validateBearer(token: string): Promise<oauth.JWTAccessTokenClaims> {
  const request = new Request('https://api.test/things', { headers: { authorization: `Bearer ${token}` } })
  return oauth.validateJwtAccessToken(api.as, request, 'https://api.test', insecure)
}
