import { clientId } from '@mintmark/storage-interface'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { signedInAs } from '../support/flow.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { postedParameters, visit } from '../support/interaction-steps.ts'

let server: ServerUnderTest
let web: client.Configuration
beforeAll(async () => {
  server = await startLoopbackServer()
  web = await configure('A', client.ClientSecretBasic(server.clients.A.secret))
})
afterAll(() => server.close())

describe('openid-client signs a user in', () => {
  it.each([
    ['none', { id: 'P', authentication: () => client.None(), redirectUri: 'https://spa.test/cb' }],
    [
      'client_secret_basic',
      {
        id: 'A',
        authentication: () => client.ClientSecretBasic(server.clients.A.secret),
        redirectUri: 'https://app.test/cb',
      },
    ],
    [
      'client_secret_post',
      {
        id: 'X',
        authentication: () => client.ClientSecretPost(server.clients.X.secret),
        redirectUri: 'https://x.test/cb',
      },
    ],
    [
      'private_key_jwt',
      {
        id: 'B',
        authentication: () => client.PrivateKeyJwt({ key: server.clients.B.privateKey, kid: 'b1' }),
        redirectUri: 'https://b.test/cb',
      },
    ],
  ] as const)('gets valid tokens with the authentication method %s (OIDC Core §3.1)', async (_, party) => {
    const { id, authentication, redirectUri } = party
    const config = await configure(id, authentication())

    const tokens = await signIn(config, { redirect_uri: redirectUri })

    expect(tokens.claims()).toMatchObject({ iss: server.issuer, sub: 'U1', aud: id, given_name: 'Ann' })
    expect(tokens.expiresIn()).toBeGreaterThan(590)
  })

  it('a client registered for ES256 gets an ID token in ES256 and checks its signature (OIDC Registration §2)', async () => {
    await changeClient(server.storage, clientId('X'), { idTokenSignedResponseAlg: 'ES256' })
    const config = await configure('X', client.ClientSecretPost(server.clients.X.secret), {
      id_token_signed_response_alg: 'ES256',
    })
    client.enableNonRepudiationChecks(config)

    const tokens = await signIn(config, { redirect_uri: 'https://x.test/cb' })

    expect(tokens.claims()?.sub).toBe('U1')
  })

  it('accepts a response that the browser posts (Form Post Response Mode §2)', async () => {
    const { url, checks } = await startSignIn(web, { response_mode: 'form_post' })
    const page = await visit(server, url)
    const callback = new Request('https://app.test/cb', { method: 'POST', body: postedParameters(page) })

    const tokens = await client.authorizationCodeGrant(web, callback, checks)

    expect(tokens.claims()?.sub).toBe('U1')
  })

  it('reports an error response as such (RFC 6749 §4.1.2.1)', async () => {
    const { url, checks } = await startSignIn(web, { prompt: 'none', max_age: '0' })
    const { location } = await visit(server, url)

    const refused = client.authorizationCodeGrant(web, location, checks)

    await expect(refused).rejects.toMatchObject({ code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR', error: 'login_required' })
  })
})

describe('openid-client uses tokens', () => {
  it('refreshes (RFC 6749 §6)', async () => {
    const first = await signIn(web)

    const renewed = await client.refreshTokenGrant(web, first.refresh_token ?? '')

    expect(renewed.refresh_token).not.toBe(first.refresh_token)
    expect(renewed.claims()).toMatchObject({ sub: 'U1', auth_time: first.claims()?.auth_time })
  })

  it('a machine client gets an access token (RFC 6749 §4.4)', async () => {
    const machine = await configure('M', client.ClientSecretBasic(server.clients.M.secret))

    const tokens = await client.clientCredentialsGrant(machine, { scope: 'api.read', resource: 'https://api.test' })

    expect(tokens).toMatchObject({ scope: 'api.read', token_type: 'bearer' })
  })

  it('calls userinfo (OIDC Core §5.3)', async () => {
    const tokens = await signIn(web, { scope: 'openid profile phone' })

    const info = await client.fetchUserInfo(web, tokens.access_token, 'U1')

    expect(info).toMatchObject({ sub: 'U1', name: 'Ann Lee', phone_number_verified: false })
  })

  it('introspects a token, revokes it, and introspects it again (RFC 7662 §2, RFC 7009 §2)', async () => {
    const tokens = await signIn(web)

    const before = await client.tokenIntrospection(web, tokens.access_token)
    await client.tokenRevocation(web, tokens.refresh_token ?? '')
    const after = await client.tokenIntrospection(web, tokens.access_token)

    expect(before).toMatchObject({ active: true, client_id: 'A' })
    expect(after).toEqual({ active: false })
  })

  it('requests a signed introspection response (RFC 9701 §4)', async () => {
    const config = await configure('A', client.ClientSecretBasic(server.clients.A.secret), {
      introspection_signed_response_alg: 'RS256',
    })
    client.enableNonRepudiationChecks(config)
    const tokens = await signIn(config)

    const answer = await client.tokenIntrospection(config, tokens.access_token)

    expect(answer).toMatchObject({ active: true, sub: 'U1' })
  })
})

describe('openid-client signs a user out', () => {
  it('builds a URL that ends the session and returns to the client (RP-Initiated Logout §2, §3)', async () => {
    const site = await startLoopbackServer()
    await changeClient(site.storage, clientId('A'), { postLogoutRedirectUris: ['https://app.test/bye'] })
    const config = await configure('A', client.ClientSecretBasic(site.clients.A.secret), {}, site)
    const tokens = await signIn(config, {}, site)

    const url = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'https://app.test/bye',
      state: 'a b/c',
    })
    const reply = await site.send({ path: url.pathname + url.search, headers: { cookie: signedInAs(site, 'U1') } })

    expect(url.origin + url.pathname).toBe(`${site.issuer}/session/end`)
    expect(Object.fromEntries(reply.location.searchParams)).toEqual({ state: 'a b/c' })
    expect(site.events.at(-1)).toMatchObject({ type: 'user.signed_out', userId: 'U1', clientId: 'A' })
    await site.close()
  })
})

/** Configures the library by discovery over plain http, which it does not allow by default. */
const configure = (
  id: string,
  authentication: client.ClientAuth,
  metadata: Partial<client.ClientMetadata> = {},
  site: ServerUnderTest = server,
): Promise<client.Configuration> =>
  client.discovery(new URL(site.issuer), id, metadata, authentication, { execute: [client.allowInsecureRequests] })

async function startSignIn(config: client.Configuration, parameters: Readonly<Record<string, string>>) {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  }
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: 'https://app.test/cb',
    scope: 'openid profile offline_access',
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    ...parameters,
  })
  return { url, checks }
}

async function signIn(config: client.Configuration, parameters: Readonly<Record<string, string>> = {}, site = server) {
  const { url, checks } = await startSignIn(config, parameters)
  const { location } = await visit(site, url)
  return client.authorizationCodeGrant(config, location, checks)
}
