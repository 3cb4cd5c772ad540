import { certificateFromHeader, registerClient } from '@mintmark/core'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'

import { certificateHeader, commonName, issueCertificate, type TestCertificate } from '../support/certificates.ts'
import { cibaGrant, signRequest, startCibaServer, type CibaSite } from '../support/ciba-world.ts'
import { assertionOf, type AssertionChange } from '../support/client-assertion.ts'
import { createProofKey, writeProof } from '../support/dpop.ts'
import { encode, postForm, type Change } from '../support/flow.ts'
import { signEs256 } from '../support/forge-jwt.ts'
import type { Reply } from '../support/send.ts'

/** A client of the profile `fapi2` that signs its requests and authenticates with private_key_jwt. */
interface FapiCibaClient {
  readonly privateKey: CryptoKey
  /** Signs a request; claims set to `undefined` are left out. */
  request(claims?: Readonly<Record<string, unknown>>, change?: AssertionChange): Promise<string>
  /** Sends a signed request. Without `assertion`, it authenticates as registered; `null` sends only its `client_id`. */
  ask(request?: string, assertion?: AssertionChange | null, form?: Change): Promise<Reply>
  /** Polls with a proof of its key. */
  poll(authReqId: unknown, assertion?: AssertionChange | null, headers?: Record<string, string>): Promise<Reply>
}

export interface FapiCibaSite extends CibaSite {
  readonly client: FapiCibaClient
  readonly other: FapiCibaClient
  /** The certificate of the clients, if their tokens are bound to certificates. */
  readonly certificate: TestCertificate
}

/** Starts a server with two clients whose tokens are bound by DPoP or by certificates. */
export async function startFapiCibaServer(binding: 'dpop' | 'mtls' = 'dpop'): Promise<FapiCibaSite> {
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
  const certificate = issueCertificate({ subject: [commonName('F')] })
  const [client, other] = await Promise.all(
    ['F', 'G'].map((clientId) => addClient(site, { clientId, binding, certificate })),
  )
  if (client === undefined || other === undefined) throw new Error('There are two clients.')
  return { ...site, client, other, certificate }
}

async function addClient(
  site: CibaSite,
  setUp: { readonly clientId: string; readonly binding: 'dpop' | 'mtls'; readonly certificate: TestCertificate },
): Promise<FapiCibaClient> {
  const { clientId, binding, certificate } = setUp
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  await registerClient(
    {
      clientId,
      clientName: 'Bank app',
      profile: 'fapi2',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: clientId }] },
      grantTypes: [cibaGrant],
      scopes: ['openid', 'profile'],
      ...(binding === 'dpop' ? { dpopBoundAccessTokens: true } : { tlsClientCertificateBoundAccessTokens: true }),
      backchannelAuthenticationRequestSigningAlg: 'ES256',
    },
    { storage: site.storage, clock: site.clock.now },
  )
  const key = await createProofKey()
  const signed = { header: { kid: clientId }, sign: signEs256(privateKey) }
  const authentication = (change: AssertionChange | null = {}): Promise<Change> | Change =>
    change === null
      ? { client_id: clientId }
      : assertionOf(site, {
          ...signed,
          ...change,
          header: { ...signed.header, ...change.header },
          claims: { iss: clientId, sub: clientId, ...change.claims },
        })
  const proofOf = async (): Promise<Record<string, string>> =>
    binding === 'mtls'
      ? { ...certificateHeader(certificate), 'client-verify': 'SUCCESS' }
      : { dpop: await writeProof(site, key, { claims: { htu: `${site.issuer}/token` } }) }

  const request: FapiCibaClient['request'] = (claims = {}, change = {}) =>
    signRequest(site, {
      ...signed,
      ...change,
      header: { ...signed.header, ...change.header },
      claims: { iss: clientId, scope: 'openid profile', ...claims },
    })
  return {
    privateKey,
    request,
    ask: async (signedRequest, assertion, form = {}) =>
      postForm(
        site,
        '/bc-authorize',
        encode({ ...(await authentication(assertion)), request: signedRequest ?? (await request()), ...form }),
        {},
      ),
    poll: async (authReqId, assertion, headers) =>
      postForm(
        site,
        '/token',
        encode({ ...(await authentication(assertion)), grant_type: cibaGrant, auth_req_id: String(authReqId) }),
        headers ?? (await proofOf()),
      ),
  }
}
