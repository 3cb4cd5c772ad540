import { certificateFromHeader, registerClient } from '@mintmark/core'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'

import { certificateHeader, commonName, issueCertificate, type TestCertificate } from '../support/certificates.ts'
import { cibaGrant, signRequest, startCibaServer, type CibaSite } from '../support/ciba-world.ts'
import { assertionOf, type AssertionChange } from '../support/client-assertion.ts'
import { createProofKey, writeProof } from '../support/dpop.ts'
import { encode, postForm, type Change } from '../support/flow.ts'
import { signEs256 } from '../support/forge-jwt.ts'
import type { Reply } from '../support/send.ts'

/** A client of the profile `fapi2` that signs its requests. */
interface FapiCibaClient {
  readonly privateKey: CryptoKey
  readonly certificate: TestCertificate
  /** Signs a request; claims set to `undefined` are left out. */
  request(claims?: Readonly<Record<string, unknown>>, change?: AssertionChange): Promise<string>
  /** Sends a signed request. Without `assertion`, it authenticates as registered; `null` sends only its `client_id`. */
  ask(request?: string, assertion?: AssertionChange | null, form?: Change): Promise<Reply>
  /** Polls with a proof of its key. `form` replaces parameters. */
  poll(
    authReqId: unknown,
    assertion?: AssertionChange | null,
    headers?: Record<string, string>,
    form?: Change,
  ): Promise<Reply>
}

/**
 * How the clients authenticate, and what their tokens are bound to: private_key_jwt with DPoP or a certificate, or a certificate
 * for both.
 */
type Binding = 'dpop' | 'mtls' | 'tls_client_auth'

export interface FapiCibaSite extends CibaSite {
  readonly client: FapiCibaClient
  readonly other: FapiCibaClient
}

/** Starts a server with two clients, F and G. */
export async function startFapiCibaServer(binding: Binding = 'dpop'): Promise<FapiCibaSite> {
  const site = await startCibaServer({
    mutualTls: {
      certificate: certificateFromHeader({
        format: 'client-cert',
        trust: 'this_proxy_sets_and_strips_it',
        chain: { header: 'client-verify' },
      }),
      aliasOrigin: 'https://mtls.as.test',
    },
  })
  const client = await addClient(site, { clientId: 'F', binding })
  return { ...site, client, other: await addClient(site, { clientId: 'G', binding }) }
}

async function addClient(
  site: CibaSite,
  { clientId, binding }: { readonly clientId: string; readonly binding: Binding },
): Promise<FapiCibaClient> {
  const certificate = issueCertificate({ subject: [commonName(clientId)] })
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  await registerClient(
    {
      clientId,
      clientName: 'Bank app',
      profile: 'fapi2',
      ...(binding === 'tls_client_auth'
        ? { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSubjectDn: `CN=${clientId}` }
        : { tokenEndpointAuthMethod: 'private_key_jwt' }),
      jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: clientId }] },
      grantTypes: [cibaGrant, 'refresh_token'],
      scopes: ['openid', 'profile', 'offline_access'],
      ...(binding === 'dpop' ? { dpopBoundAccessTokens: true } : { tlsClientCertificateBoundAccessTokens: true }),
      backchannelAuthenticationRequestSigningAlg: 'ES256',
    },
    { storage: site.storage, clock: site.clock.now },
  )
  const key = await createProofKey()
  const signed = { header: { kid: clientId }, sign: signEs256(privateKey) }
  const authentication = (change: AssertionChange | null = {}): Promise<Change> | Change =>
    change === null || binding === 'tls_client_auth'
      ? { client_id: clientId }
      : assertionOf(site, {
          ...signed,
          ...change,
          header: { ...signed.header, ...change.header },
          claims: { iss: clientId, sub: clientId, ...change.claims },
        })
  const certified = { ...certificateHeader(certificate), 'client-verify': 'SUCCESS' }
  const proofOf = async (): Promise<Record<string, string>> =>
    binding !== 'dpop' ? certified : { dpop: await writeProof(site, key, { claims: { htu: `${site.issuer}/token` } }) }

  const request: FapiCibaClient['request'] = (claims = {}, change = {}) =>
    signRequest(site, {
      ...signed,
      ...change,
      header: { ...signed.header, ...change.header },
      claims: { iss: clientId, scope: 'openid profile', ...claims },
    })
  return {
    privateKey,
    certificate,
    request,
    ask: async (signedRequest, assertion, form = {}) =>
      postForm(
        site,
        '/bc-authorize',
        encode({ ...(await authentication(assertion)), request: signedRequest ?? (await request()), ...form }),
        binding === 'tls_client_auth' ? certified : {},
      ),
    poll: async (authReqId, assertion, headers, form = {}) =>
      postForm(
        site,
        '/token',
        encode({
          ...(await authentication(assertion)),
          grant_type: cibaGrant,
          auth_req_id: String(authReqId),
          ...form,
        }),
        headers ?? (await proofOf()),
      ),
  }
}
