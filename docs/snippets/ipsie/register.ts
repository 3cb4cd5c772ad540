import { registerClient } from '@mintmark/core'
import { registerIdentityProvider } from '@mintmark/scim'
import type { AdminStorage, JsonObject } from '@mintmark/storage-interface'

/** Registers an application whose users come from a company: it gets ID tokens as IPSIE SL1 demands. */
export const registerApplication = (storage: AdminStorage) =>
  registerClient(
    {
      clientId: 'crm',
      clientName: 'CRM',
      profile: 'ipsie_sl1',
      tokenEndpointAuthMethod: 'none',
      redirectUris: ['https://crm.example/callback'],
      scopes: ['openid', 'profile', 'email'],
    },
    { storage },
  )

/** Registers a directory that authenticates only with access tokens, which its client gets with a key. */
export async function registerDirectory(storage: AdminStorage, publicKey: JsonObject) {
  await registerClient(
    {
      clientId: 'acme-directory',
      clientName: 'Directory of Acme',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [publicKey] },
      grantTypes: ['client_credentials'],
      scopes: ['scim'],
    },
    { storage },
  )
  return registerIdentityProvider(
    { providerId: 'acme', toleranceProfile: 'strict', secret: false, clientIds: ['acme-directory'] },
    { storage },
  )
}
