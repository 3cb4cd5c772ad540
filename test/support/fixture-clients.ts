import { registerClient } from '@mintmark/core'
import type { Clock } from '@mintmark/internal'
import { registerIdentityProvider } from '@mintmark/scim'
import type { ClientId, ClientRecord, AdminStorage } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair, type CryptoKey } from 'jose'

/** The clients of the attack tests, with the credentials that a test needs to act as them. */
export interface FixtureClients {
  /** Confidential web application: client_secret_basic, registered with requirePkce. */
  readonly A: { readonly secret: string }
  /** Confidential web application: private_key_jwt, ES256. */
  readonly B: { readonly privateKey: CryptoKey }
  /** Machine-to-machine client: client_secret_basic. */
  readonly M: { readonly secret: string }
  /** Resource server of https://api.test: client_secret_basic or client_secret_post. */
  readonly RS: { readonly secret: string }
  /** Confidential web application that may omit PKCE: client_secret_post. */
  readonly X: { readonly secret: string }
  /** The identity provider `directory`, which provisions users. */
  readonly directory: { readonly secret: string }
}

const webGrants = ['authorization_code', 'refresh_token']
const webScopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'api.read']

/** Registers A, B, P, N, M, RS, X and the directory, as an administrator would. */
export async function registerFixtureClients(storage: AdminStorage, clock?: Clock): Promise<FixtureClients> {
  const deps = { storage, ...(clock !== undefined && { clock }) }
  const pair = await generateKeyPair('ES256', { extractable: true })
  const web = { grantTypes: webGrants, scopes: webScopes }
  const a = await registerClient(
    {
      ...web,
      clientId: 'A',
      clientName: 'App',
      tokenEndpointAuthMethod: 'client_secret_basic',
      requirePkce: true,
      redirectUris: ['https://app.test/cb'],
    },
    deps,
  )
  await registerClient(
    {
      ...web,
      clientId: 'B',
      clientName: 'Bee',
      tokenEndpointAuthMethod: 'private_key_jwt',
      redirectUris: ['https://b.test/cb'],
      jwks: { keys: [{ ...(await exportJWK(pair.publicKey)), alg: 'ES256', kid: 'b1' }] },
    },
    deps,
  )
  const publicClient = { ...web, tokenEndpointAuthMethod: 'none' } as const
  await registerClient(
    { ...publicClient, clientId: 'P', clientName: 'Page', redirectUris: ['https://spa.test/cb'] },
    deps,
  )
  await registerClient(
    { ...publicClient, clientId: 'N', clientName: 'Native', redirectUris: ['http://127.0.0.1/cb'] },
    deps,
  )
  const m = await registerClient(
    {
      clientId: 'M',
      clientName: 'Machine',
      tokenEndpointAuthMethod: 'client_secret_basic',
      grantTypes: ['client_credentials'],
      scopes: ['api.read'],
    },
    deps,
  )
  const rs = await registerClient(
    {
      clientId: 'RS',
      clientName: 'API',
      grantTypes: ['client_credentials'],
      scopes: ['api.read'],
      servedAudiences: ['https://api.test'],
    },
    deps,
  )
  const x = await registerClient(
    {
      ...web,
      clientId: 'X',
      clientName: 'Exempt',
      tokenEndpointAuthMethod: 'client_secret_post',
      redirectUris: ['https://x.test/cb'],
    },
    deps,
  )
  const { secret } = await registerIdentityProvider({ providerId: 'directory' }, { storage })
  return {
    A: { secret: a.clientSecret ?? '' },
    B: { privateKey: pair.privateKey },
    M: { secret: m.clientSecret ?? '' },
    RS: { secret: rs.clientSecret ?? '' },
    X: { secret: x.clientSecret ?? '' },
    directory: { secret },
  }
}

/** Updates some members of a client, as an administrator would. */
export async function changeClient(storage: AdminStorage, id: ClientId, change: Partial<ClientRecord>): Promise<void> {
  const client = await storage.clients.find(id)
  if (client === undefined) throw new Error(`There is no client ${id}.`)
  await storage.clients.compareAndSwap({ ...client, ...change }, client.version)
}
