import { registerClient } from '@mintmark/core'
import type { JsonObject, OAuthStorage } from '@mintmark/storage-interface'

/** Registers a client that pushes and signs its requests, and gets signed responses. */
export const registerBank = (storage: OAuthStorage, publicKey: JsonObject) =>
  registerClient(
    {
      clientId: 'bank',
      clientName: 'Bank',
      redirectUris: ['https://bank.example/callback'],
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [publicKey] },
      requirePkce: true,
      requirePushedAuthorizationRequests: true,
      requireSignedRequestObject: true,
      requestObjectSigningAlg: 'ES256',
      authorizationSignedResponseAlg: 'ES256',
      idTokenSignedResponseAlg: 'ES256',
    },
    { storage },
  )
