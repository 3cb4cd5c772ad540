import { randomBytes } from 'node:crypto'

import { peerCertificate } from '@mintmark/adapter-node'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
  createCookieSessions,
  createStoredKeys,
  limitSignIns,
  registerClient,
} from '@mintmark/core'
import { withHeaders } from '@mintmark/core/http'
import { consentPage, errorPage, readConsentForm, readSignInForm, signInPage } from '@mintmark/pages'
import { epochSeconds, type JsonObject, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

import { accounts, payment } from './payment.ts'

export interface BankSettings extends Pick<AuthorizationServerOptions, 'onEvent'> {
  readonly issuer: string
  /** The origin at which clients present certificates. */
  readonly aliasOrigin: string
  /** The payments API, which is the audience of all access tokens. */
  readonly api: string
  readonly redirectUri: string
  /** The public key of the client `shop-dpop`. */
  readonly shopKey: JsonObject
  /** The public key with which the payments API authenticates. */
  readonly apiKey: JsonObject
}

/** Creates a server that requires FAPI 2.0 of every client, and registers a client with DPoP and one with a certificate. */
export async function createBank(settings: BankSettings): Promise<AuthorizationServer> {
  const { issuer, aliasOrigin, api, redirectUri, shopKey, apiKey, onEvent } = settings
  // Everything is in memory, so there is nothing to set up. In production use @mintmark/storage-sql and a permanent key.
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: randomBytes(32).toString('base64url'), algorithms: ['ES256'] })
  await storage.users.insert({
    userId: userId('user-1'),
    claims: { name: 'Ann Lee' },
    createdAt: epochSeconds(Math.floor(Date.now() / 1000)),
  })

  const client = {
    profile: 'fapi2',
    redirectUris: [redirectUri],
    requirePkce: true,
    requirePushedAuthorizationRequests: true,
    idTokenSignedResponseAlg: 'ES256',
    scopes: ['openid'],
    resources: [api],
    authorizationDetailsTypes: ['payment'],
  } as const
  await registerClient(
    {
      ...client,
      clientId: 'shop-dpop',
      clientName: 'Shop with DPoP',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [shopKey] },
      dpopBoundAccessTokens: true,
    },
    { storage, keys },
  )
  await registerClient(
    {
      ...client,
      clientId: 'shop-mtls',
      clientName: 'Shop with a certificate',
      tokenEndpointAuthMethod: 'tls_client_auth',
      tlsClientAuthSanDns: 'shop.example',
      tlsClientCertificateBoundAccessTokens: true,
    },
    { storage, keys },
  )

  // The API asks whether tokens were revoked. It gets no tokens itself.
  await registerClient(
    {
      profile: 'fapi2',
      clientId: 'payments-api',
      clientName: 'Payments API',
      grantTypes: [],
      servedAudiences: [api],
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [apiKey] },
    },
    { storage, keys },
  )

  const sessions = createCookieSessions({ storage })
  const attempts = limitSignIns({ ...(onEvent !== undefined && { onEvent }) })
  return createAuthorizationServer({
    issuer,
    storage,
    keys,
    ...(onEvent !== undefined && { onEvent }),
    minimumProfile: 'fapi2',
    mutualTls: { certificate: peerCertificate, aliasOrigin },
    dpop: { nonces: 'required' },
    authorizationDetails: { payment },
    resources: { [api]: { name: 'Payments', scopes: [] } },
    signedIn: sessions.signedIn,
    renderErrorPage: errorPage,
    pages: {
      async login(pending, request) {
        const attempt = readSignInForm(request)
        if (attempt === undefined) return signInPage(pending)
        const { allowed, report } = await attempts({ account: attempt.username })
        const isAnn = allowed && attempt.username === 'ann' && attempt.password === 'example'
        await report(isAnn ? 'succeeded' : 'failed')
        if (!isAnn) return signInPage({ ...pending, error: allowed ? 'rejected' : 'throttled' })
        const { signedIn, headers } = await sessions.start(request, { subject: 'user-1', amr: ['pwd'] })
        return withHeaders(await pending.complete(signedIn), headers)
      },
      async consent(pending, request) {
        const details = pending.details.map((detail) => ({ ...detail, choices: accounts }))
        if (request.method !== 'POST') return consentPage({ ...pending, details })
        const { decision, ...answer } = readConsentForm(request)
        return decision === 'allow' ? pending.complete(answer) : pending.deny()
      },
    },
  })
}
