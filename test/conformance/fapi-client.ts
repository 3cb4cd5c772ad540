import { certificateFromHeader, registerClient } from '@mintmark/core'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'

import { certificateHeader, commonName, issueCertificate, type TestCertificate } from '../support/certificates.ts'
import { assertionType } from '../support/client-assertion.ts'
import { createProofKey, proofForUserinfo, writeProof, type ProofChange, type ProofKey } from '../support/dpop.ts'
import { answerInteraction, baseRequest, encode, postForm, verifier, type Change } from '../support/flow.ts'
import { signEs256, writeJws, type SignBytes } from '../support/forge-jwt.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

/** How the clients of a certification run authenticate, and what their tokens are bound to. */
export interface FapiVariant {
  readonly authentication: 'private_key_jwt' | 'tls_client_auth'
  readonly binding: 'dpop' | 'mtls'
  readonly profile: 'fapi2' | 'fapi2_message_signing'
}

/** Replaces parts of a client's usual credentials in a request. `null` leaves out the certificate or proof. */
interface Credentials {
  readonly assertion?: { readonly claims?: object; readonly header?: object; readonly sign?: SignBytes } | null
  readonly certificate?: TestCertificate | null
  readonly proof?: ProofChange | null
  readonly proofKey?: ProofKey
}

export interface FapiClient {
  readonly id: string
  readonly redirectUri: string
  readonly certificate: TestCertificate
  readonly proofKey: ProofKey
  /** POST /auth/push. */
  push(change?: Change, credentials?: Credentials): Promise<Reply>
  /** GET /auth in a browser without a session. */
  visit(requestUri: unknown, change?: Change): Promise<Reply>
  /** Signs in U1, consents to everything, and returns the response to the client. */
  allow(visited: Reply): Promise<Reply>
  /** Runs a complete authorization and returns its code. */
  code(change?: Change, credentials?: Credentials): Promise<string>
  /** POST /token with a code. */
  redeem(code: string, change?: Change, credentials?: Credentials): Promise<Reply>
  refresh(refreshToken: unknown, credentials?: Credentials): Promise<Reply>
  /** POST /token in its own name, for `api.read`. */
  ownToken(credentials?: Credentials): Promise<Reply>
  /** GET /userinfo, the protected resource of the plan. */
  read(accessToken: unknown, headers?: Record<string, string>, credentials?: Credentials): Promise<Reply>
  /** Returns a signed request object (RFC 9101). */
  requestObject(claims?: object, header?: object, sign?: SignBytes): Promise<string>
}

/** Starts a server that serves only clients of FAPI 2.0, behind a proxy that forwards client certificates. */
export const startFapiServer = (): Promise<ServerUnderTest> =>
  startServer({
    minimumProfile: 'fapi2',
    mutualTls: {
      certificate: certificateFromHeader({
        format: 'client-cert',
        trust: 'this_proxy_sets_and_strips_it',
        chain: { header: 'client-verify' },
      }),
      aliasOrigin: 'https://mtls.as.test',
    },
  })

let written = 0

/** Registers a client as the test plans require it. Its redirect URI may have a query. */
export async function registerFapiClient(
  site: ServerUnderTest,
  { authentication, binding, profile }: FapiVariant,
  { name, query = '' }: { readonly name: string; readonly query?: string },
): Promise<FapiClient> {
  const id = `${name}-${authentication}-${binding}-${profile}`
  const redirectUri = `https://suite.test/callback${query}`
  const pair = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(pair.publicKey)), alg: 'ES256', kid: id, use: 'sig' }
  const certificate = issueCertificate({ subject: [commonName(id)] })
  const isCertified = authentication === 'tls_client_auth'
  await registerClient(
    {
      clientId: id,
      clientName: id,
      profile,
      redirectUris: [redirectUri],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes: ['openid', 'profile', 'email', 'offline_access', 'api.read'],
      tokenEndpointAuthMethod: authentication,
      idTokenSignedResponseAlg: 'ES256',
      ...(profile === 'fapi2_message_signing' && { authorizationSignedResponseAlg: 'ES256' }),
      ...((!isCertified || profile === 'fapi2_message_signing') && { jwks: { keys: [jwk] } }),
      ...(isCertified && { tlsClientAuthSubjectDn: `CN=${id}` }),
      ...(binding === 'dpop' ? { dpopBoundAccessTokens: true } : { tlsClientCertificateBoundAccessTokens: true }),
    },
    { storage: site.storage, clock: site.clock.now, clientRules: site.server.clientRules },
  )
  return actAs(site, { id, redirectUri, certificate, proofKey: await createProofKey(), key: pair.privateKey })
}

interface Identity extends Pick<FapiClient, 'id' | 'redirectUri' | 'certificate' | 'proofKey'> {
  readonly key: CryptoKey
}

function actAs(site: ServerUnderTest, identity: Identity): FapiClient {
  const { id, redirectUri, key } = identity
  const usesCertificate = id.includes('mtls') || id.includes('tls_client_auth')
  const registeredClaims = (): Record<string, unknown> => {
    const now = site.clock.now()
    written += 1
    return { iss: id, aud: site.issuer, exp: now + 60, iat: now, jti: `fapi-${written}` }
  }

  async function authenticated({ assertion }: Credentials): Promise<Change> {
    if (assertion === null || id.includes('tls_client_auth')) return { client_id: id }
    const header = { alg: 'ES256', kid: id, ...assertion?.header }
    const claims = { ...registeredClaims(), sub: id, ...assertion?.claims }
    return {
      client_id: id,
      client_assertion_type: assertionType,
      client_assertion: await writeJws(header, claims, assertion?.sign ?? signEs256(key)),
    }
  }

  function forwarded({ certificate = identity.certificate }: Credentials): Record<string, string> {
    if (!usesCertificate || certificate === null) return {}
    return { ...certificateHeader(certificate), 'client-verify': 'SUCCESS' }
  }

  async function proven(credentials: Credentials): Promise<Record<string, string>> {
    if (!id.includes('dpop') || credentials.proof === null) return {}
    return { dpop: await writeProof(site, credentials.proofKey ?? identity.proofKey, credentials.proof) }
  }

  const client: FapiClient = {
    ...identity,
    push: async (change = {}, credentials = {}) => {
      const parameters = { ...baseRequest, redirect_uri: redirectUri, ...change, client_id: id }
      const form = encode({ ...parameters, ...(await authenticated(credentials)) })
      const proof = credentials.proof === undefined ? {} : await proven(credentials)
      return postForm(site, '/auth/push', form, { ...forwarded(credentials), ...proof })
    },
    visit: (requestUri, change = {}) =>
      site.send({
        path: `/auth?${encode({ client_id: id, request_uri: String(requestUri), ...change })}`,
        headers: { cookie: '' },
      }),
    allow: async (visited) => {
      const scopes = ['openid', 'profile', 'email', 'offline_access'].map((scope) => `&scope=${scope}`).join('')
      return answerInteraction(site, visited, `subject=U1&auth_time=${site.clock.now()}${scopes}`)
    },
    code: async (change = {}, credentials = {}) => {
      const pushed = await client.push(change, credentials)
      const answered = await client.allow(await client.visit(pushed.json['request_uri']))
      return answered.location.searchParams.get('code') ?? ''
    },
    redeem: async (code, change = {}, credentials = {}) => {
      const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
      const form = encode({ ...grant, ...(await authenticated(credentials)), ...change })
      return postForm(site, '/token', form, { ...forwarded(credentials), ...(await proven(credentials)) })
    },
    refresh: async (refreshToken, credentials = {}) => {
      const grant = { grant_type: 'refresh_token', refresh_token: String(refreshToken) }
      const form = encode({ ...grant, ...(await authenticated(credentials)) })
      return postForm(site, '/token', form, { ...forwarded(credentials), ...(await proven(credentials)) })
    },
    ownToken: async (credentials = {}) => {
      const form = encode({
        grant_type: 'client_credentials',
        scope: 'api.read',
        ...(await authenticated(credentials)),
      })
      return postForm(site, '/token', form, { ...forwarded(credentials), ...(await proven(credentials)) })
    },
    read: async (accessToken, headers = {}, credentials = {}) => {
      const token = String(accessToken)
      const { proofKey = identity.proofKey, proof } = credentials
      const isProven = id.includes('dpop') && proof !== null
      return site.send({
        path: '/userinfo',
        headers: {
          authorization: `${id.includes('dpop') ? 'DPoP' : 'Bearer'} ${token}`,
          ...forwarded(credentials),
          ...(isProven && { dpop: await proofForUserinfo(site, proofKey, token, proof) }),
          ...headers,
        },
      })
    },
    requestObject: (claims = {}, header = {}, sign = signEs256(key)) => {
      const parameters = { ...baseRequest, client_id: id, redirect_uri: redirectUri }
      const times = { ...registeredClaims(), nbf: site.clock.now() }
      return writeJws(
        { alg: 'ES256', typ: 'oauth-authz-req+jwt', kid: id, ...header },
        { ...times, ...parameters, ...claims },
        sign,
      )
    },
  }
  return client
}
