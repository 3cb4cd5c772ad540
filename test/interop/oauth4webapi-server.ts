import * as oauth from 'oauth4webapi'

import type { ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'

/** The library rejects plain http by default; this is the only option that the tests set. */
export const insecure = { [oauth.allowInsecureRequests]: true } as const

/** A client of the library, and its authentication method. */
export interface LibraryClient {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly authentication: oauth.ClientAuth
  readonly redirectUri: string
}

/** Discovers the server with the library (OIDC Discovery §4). */
export async function discover(
  site: ServerUnderTest,
  algorithm: 'oidc' | 'oauth2' = 'oidc',
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(site.issuer)
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm }))
}

/** An authorization request, and the values that the client stores until the callback. */
export interface StartedRequest {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  readonly url: URL
}

/** Creates an authorization request: the URL to which the client redirects the browser. */
export async function authorizationUrl(
  party: LibraryClient,
  parameters: Readonly<Record<string, string>> = {},
): Promise<StartedRequest> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const nonce = oauth.generateRandomNonce()
  const url = new URL(party.as.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: party.client.client_id,
    redirect_uri: party.redirectUri,
    scope: 'openid profile offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  }).toString()
  return { verifier, state, nonce, url }
}

/** Validates the callback, redeems the code, and validates the ID token and its signature. */
export async function redeemCallback(
  party: LibraryClient,
  expected: StartedRequest & { readonly callback: URL | URLSearchParams; readonly maxAge?: number },
): Promise<oauth.TokenEndpointResponse> {
  const { as, client, authentication, redirectUri } = party
  const parameters = oauth.validateAuthResponse(as, client, expected.callback, expected.state)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    parameters,
    redirectUri,
    expected.verifier,
    insecure,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: expected.nonce,
    requireIdToken: true,
    ...(expected.maxAge !== undefined && { maxAge: expected.maxAge }),
  })
  await oauth.validateApplicationLevelSignature(as, response, insecure)
  return tokens
}

/** Signs U1 in and consents to everything. */
export async function signIn(
  site: ServerUnderTest,
  party: LibraryClient,
  parameters: Readonly<Record<string, string>> = {},
): Promise<oauth.TokenEndpointResponse> {
  const expected = await authorizationUrl(party, parameters)
  const { location } = await visit(site, expected.url)
  return redeemCallback(party, { ...expected, callback: location })
}

/** Returns the fixture clients in the form that the library uses. */
export async function libraryClients(
  site: ServerUnderTest,
): Promise<Readonly<Record<'A' | 'B' | 'P' | 'X', LibraryClient>>> {
  const as = await discover(site)
  const { A, B, X } = site.clients
  const key = { key: B.privateKey, kid: 'b1' }
  return {
    A: {
      as,
      client: { client_id: 'A' },
      authentication: oauth.ClientSecretBasic(A.secret),
      redirectUri: 'https://app.test/cb',
    },
    B: { as, client: { client_id: 'B' }, authentication: oauth.PrivateKeyJwt(key), redirectUri: 'https://b.test/cb' },
    P: { as, client: { client_id: 'P' }, authentication: oauth.None(), redirectUri: 'https://spa.test/cb' },
    X: {
      as,
      client: { client_id: 'X' },
      authentication: oauth.ClientSecretPost(X.secret),
      redirectUri: 'https://x.test/cb',
    },
  }
}
