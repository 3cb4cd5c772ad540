import { registerClient } from '@mintmark/core'
import type { JsonObject, Storage } from '@mintmark/storage-interface'

/** With a secret, which is shown this one time. */
export const registerWithSecret = (storage: Storage) =>
  registerClient(
    { clientId: 'billing', clientName: 'Billing job', grantTypes: ['client_credentials'], scopes: ['invoices.read'] },
    { storage },
  )

/** Without one: the job signs with a private key, and you know the public half. */
export const registerWithKey = (storage: Storage, publicKey: JsonObject) =>
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
