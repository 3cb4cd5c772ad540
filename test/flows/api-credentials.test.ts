import { randomBytes } from 'node:crypto'

import { toFetchHandler } from '@mintmark/adapter-fetch'
import { certificateFromHeader, createAuthorizationServer, createStoredKeys, registerClient } from '@mintmark/core'
import { type ClientCredentials, createResourceServer, protectFetch } from '@mintmark/resource-server'
import { epochSeconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'

import { certificateHeader, commonName, issueCertificate, type TestCertificate } from '../support/certificates.ts'

const issuer = 'https://as.test'
const aliasOrigin = 'https://mtls.as.test'
const audience = 'https://api.test'
const trust = 'this_proxy_sets_and_strips_it'
const ofShop = issueCertificate({ subject: [commonName('shop')], dns: ['shop.test'] })
const ofApi = issueCertificate({ subject: [commonName('api')], dns: ['api.test'] })
const apiKey = await generateKeyPair('ES256')
const newApiKey = await generateKeyPair('Ed25519')
const apiJwks = {
  keys: [
    { ...(await exportJWK(apiKey.publicKey)), kid: 'api-1', alg: 'ES256' },
    { ...(await exportJWK(newApiKey.publicKey)), kid: 'api-2', alg: 'Ed25519' },
  ],
}

const credentialsOf = {
  key: { clientId: 'api-key', privateKey: apiKey.privateKey, algorithm: 'ES256', keyId: 'api-1' },
  ed25519Key: { clientId: 'api-key', privateKey: newApiKey.privateKey, algorithm: 'Ed25519', keyId: 'api-2' },
  certificate: { clientId: 'api-certificate', certificate: 'sent_by_fetch' },
} as const satisfies Record<string, ClientCredentials>

/** Starts a server that demands FAPI 2.0 of every client, with one client that gets tokens and two APIs that get none. */
async function startBank(at: { seconds: number }) {
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: randomBytes(32).toString('base64url'), algorithms: ['Ed25519'] })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    minimumProfile: 'fapi2',
    revocationFeed: true,
    clock: () => epochSeconds(at.seconds),
    mutualTls: {
      certificate: certificateFromHeader({ format: 'client-cert', trust, chain: { header: 'client-verify' } }),
      aliasOrigin,
    },
    resources: { [audience]: { scopes: ['read'] } },
    scopes: { read: 'Read' },
    signedIn: () => Promise.resolve(undefined),
  })
  const api = { clientName: 'API', grantTypes: [], servedAudiences: [audience] } as const
  const withKey = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: apiJwks } as const
  await registerClient({ ...api, ...withKey, clientId: 'api-key' }, { storage, keys })
  const withCertificate = { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSanDns: 'api.test' } as const
  await registerClient({ ...api, ...withCertificate, clientId: 'api-certificate' }, { storage, keys })
  await registerClient(
    {
      profile: 'fapi2',
      clientId: 'shop',
      clientName: 'Shop',
      grantTypes: ['client_credentials'],
      scopes: ['read'],
      resources: [audience],
      tokenEndpointAuthMethod: 'tls_client_auth',
      tlsClientAuthSanDns: 'shop.test',
      tlsClientCertificateBoundAccessTokens: true,
    },
    { storage, keys },
  )
  await server.ready()
  const handle = toFetchHandler(server)
  /** Presents the certificate, as a `fetch` of the host would in the TLS handshake. */
  const fetchWith =
    (certificate?: TestCertificate): typeof globalThis.fetch =>
    async (input, init) => {
      const request = new Request(input, init)
      const isAlias = new URL(request.url).origin === aliasOrigin
      if (certificate !== undefined && isAlias)
        for (const [name, value] of Object.entries({ ...certificateHeader(certificate), 'client-verify': 'SUCCESS' }))
          request.headers.set(name, value)
      return (await handle(request)) ?? Response.error()
    }
  const asShop = async (path: string, form: Record<string, string>): Promise<Response> =>
    fetchWith(ofShop)(`${aliasOrigin}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'shop', ...form }),
    })
  return { fetchWith, asShop }
}

describe.each([
  ['a private key', credentialsOf.key, undefined],
  ['a key that is named Ed25519 (RFC 9864 §2.2)', credentialsOf.ed25519Key, undefined],
  ['a certificate', credentialsOf.certificate, ofApi],
] as const)('an API with %s at a server that demands FAPI 2.0', (_, credentials, certificate) => {
  it.each([
    ['introspection', { introspection: { cacheFor: 0 } }],
    ['the revocation feed', { revocationFeed: {} }],
  ] as const)('refuses a revoked token, by %s (FAPI 2.0 SP §5.3.4)', async (_name, source) => {
    const at = { seconds: 1_800_000_000 }
    const bank = await startBank(at)
    const reasons: string[] = []
    const api = createResourceServer({
      issuer,
      audience,
      credentials,
      ...source,
      mutualTls: { certificate: { format: 'client-cert', trust } },
      clock: () => at.seconds * 1000,
      fetch: bank.fetchWith(certificate),
      onRefusal: ({ reason }) => void reasons.push(reason),
    })
    const handler = protectFetch(api).requireAnyToken(() => new Response('admitted'))
    // The feed covers tokens that were issued after it started.
    at.seconds += 10
    const issued = await bank.asShop('/token', { grant_type: 'client_credentials', scope: 'read', resource: audience })
    const { access_token: token } = (await issued.json()) as { readonly access_token: string }
    const headers = { authorization: `Bearer ${token}`, ...certificateHeader(ofShop) }
    const send = async (): Promise<number> => (await handler(new Request(audience, { headers }))).status

    const before = await send()
    await bank.asShop('/token/revocation', { token })
    at.seconds += 1
    const after = await send()

    expect([before, after, reasons]).toEqual([
      200,
      401,
      ['introspection' in source ? 'token_inactive' : 'token_revoked'],
    ])
  })
})
