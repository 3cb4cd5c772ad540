import * as oauth from 'oauth4webapi'

import type { ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/visit.ts'

/** The library rejects plain http by default; this is the only option that the tests set. */
export const insecure = { [oauth.allowInsecureRequests]: true } as const

/** A client of the library, and its authentication method. */
export interface Party {
  readonly as: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly authentication: oauth.ClientAuth
  readonly redirectUri: string
}

/** Discovery by the library (OIDC Discovery §4). */
export async function discover(
  site: ServerUnderTest,
  algorithm: 'oidc' | 'oauth2' = 'oidc',
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(site.issuer)
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm }))
}

/** The state that the client keeps between the two halves of the flow. */
export interface Expectations {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  readonly url: URL
}

/** The first half: the URL to which the client sends the browser. */
export async function authorizationUrl(
  party: Party,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Expectations> {
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

/**
 * The second half: the library validates the callback, redeems the code, and validates the ID token with its signature.
 */
export async function redeemCallback(
  party: Party,
  expected: Expectations & { readonly callback: URL | URLSearchParams; readonly maxAge?: number },
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

/** The complete flow of U1, who consents to everything. */
export async function signIn(
  site: ServerUnderTest,
  party: Party,
  parameters: Readonly<Record<string, string>> = {},
): Promise<oauth.TokenEndpointResponse> {
  const expected = await authorizationUrl(party, parameters)
  const { location } = await visit(site, expected.url)
  return redeemCallback(party, { ...expected, callback: location })
}

/** The fixture clients as the library represents them. */
export async function parties(site: ServerUnderTest): Promise<Readonly<Record<'A' | 'B' | 'P' | 'X', Party>>> {
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
