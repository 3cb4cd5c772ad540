import { toNodeListener } from '@mintmark/adapter-node'
import type { AuthorizationServerOptions } from '@mintmark/core'
import { createTestCertificate, type TestCertificate } from '@mintmark/testkit'
import * as client from 'openid-client'

import { createBank } from './authorization-server.ts'
import { createPaymentsApi } from './payments-api.ts'
import { createShop } from './shop.ts'
import { requestCertificate, fetchOverTls, listen } from './tls.ts'

/** The running example. */
export interface FapiExample {
  readonly issuer: string
  /** The origin at which clients present certificates. */
  readonly alias: string
  /** The URL of the payments API. */
  readonly payments: string
  /** The page on which a user starts. */
  readonly shop: string
  readonly authority: TestCertificate
  close(): void
}

interface FapiExampleSettings extends Pick<AuthorizationServerOptions, 'onEvent'> {
  /** The first of four ports; 0 selects free ports. */
  readonly port: number
}

/** Starts the bank, its API and the shop. Their certificate comes from an authority that exists only in this process. */
export async function startFapiExample({ port, ...events }: FapiExampleSettings): Promise<FapiExample> {
  const authority = await createTestCertificate({ commonName: 'Example authority', isAuthority: true })
  const localhost = await createTestCertificate({
    commonName: 'localhost',
    dns: ['localhost'],
    signedBy: authority,
  })
  const portAt = (offset: number): number => (port === 0 ? 0 : port + offset)
  const bank = await listen(portAt(0), localhost)
  const alias = await listen(portAt(1), localhost, requestCertificate(authority))
  const api = await listen(portAt(2), localhost, requestCertificate(authority))
  const shop = await listen(portAt(3), localhost)
  const issuer = bank.origin
  const payments = `${api.origin}/payments`
  const key = await client.randomDPoPKeyPair('ES256', { extractable: true })

  const apiKey = await client.randomDPoPKeyPair('ES256', { extractable: true })

  const server = await createBank({
    issuer,
    aliasOrigin: alias.origin,
    api: payments,
    redirectUri: `${shop.origin}/callback`,
    shopKey: { ...(await publicJwk(key.publicKey)), kid: 'shop-1', alg: 'ES256' },
    apiKey: { ...(await publicJwk(apiKey.publicKey)), kid: 'api-1', alg: 'ES256' },
    ...events,
  })
  await server.ready()
  for (const { server: listener } of [bank, alias]) listener.on('request', toNodeListener(server))
  const credentials = {
    clientId: 'payments-api',
    privateKey: apiKey.privateKey,
    algorithm: 'ES256',
    keyId: 'api-1',
  } as const
  const fetch = fetchOverTls(authority)
  api.server.on('request', createPaymentsApi({ issuer, origin: api.origin, credentials, fetch }))

  const certificate = await createTestCertificate({ commonName: 'shop', dns: ['shop.example'], signedBy: authority })
  const configure = (id: string, authentication: client.ClientAuth, clientCertificate?: TestCertificate) =>
    client.discovery(
      new URL(issuer),
      id,
      { use_mtls_endpoint_aliases: clientCertificate !== undefined, id_token_signed_response_alg: 'ES256' },
      authentication,
      {
        [client.customFetch]: (url, { body, ...init }) =>
          fetchOverTls(authority, clientCertificate)(url, {
            ...init,
            body: body instanceof Uint8Array ? Buffer.from(body) : (body ?? null),
          }),
      },
    )
  const withDpop = await configure('shop-dpop', client.PrivateKeyJwt({ key: key.privateKey, kid: 'shop-1' }))
  const dpop = client.getDPoPHandle(withDpop, await client.randomDPoPKeyPair('ES256'))
  const withCertificate = await configure('shop-mtls', client.TlsClientAuth(), certificate)
  shop.server.on(
    'request',
    createShop({
      origin: shop.origin,
      payments,
      clients: { dpop: { config: withDpop, dpop }, mtls: { config: withCertificate } },
    }),
  )

  return {
    issuer,
    alias: alias.origin,
    payments,
    shop: shop.origin,
    authority,
    close() {
      for (const { server: listener } of [bank, alias, api, shop]) {
        listener.close()
        listener.closeAllConnections()
      }
    },
  }
}

async function publicJwk(key: CryptoKey) {
  const { kty = '', crv = '', x = '', y = '' } = await crypto.subtle.exportKey('jwk', key)
  return { kty, crv, x, y }
}
