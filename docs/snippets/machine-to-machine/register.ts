import { registerClient } from '@mintmark/core'
import type { JsonObject, OAuthStorage } from '@mintmark/storage-interface'

/** Registers a client with a secret, which cannot be shown again. */
export const registerWithSecret = (storage: OAuthStorage) =>
  registerClient(
    { clientId: 'billing', clientName: 'Billing job', grantTypes: ['client_credentials'], scopes: ['invoices.read'] },
    { storage },
  )

/** Registers a client without a secret: the job signs with a private key, and you store the public key. */
export const registerWithKey = (storage: OAuthStorage, publicKey: JsonObject) =>
  registerClient(
    {
      clientId: 'billing-signed',
      clientName: 'Billing job',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [publicKey] },
      grantTypes: ['client_credentials'],
      scopes: ['invoices.read'],
    },
    { storage },
  )
