import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createSignalReceiver, createSignalTransmitter, signalScopes } from '@mintmark/signals'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
export const storage = createMemoryStorage({ issuer })
const keys = createStoredKeys({
  storage,
  sealingKey: process.env['SEALING_KEY'] ?? '',
  algorithms: ['ES256', 'RS256'],
})

export const server = createAuthorizationServer({
  issuer,
  storage,
  keys,
  scopes: signalScopes,
  signedIn: async () => undefined,
})

/** Serves /.well-known/ssf-configuration and /ssf/v1. */
export const transmitter = createSignalTransmitter({ issuer, storage, keys, accessTokens: server })

/** Serves /signals. */
export const receiver = createSignalReceiver({
  issuer,
  storage,
  transmitters: [
    {
      issuer: 'https://acme.okta.com',
      jwksUri: 'https://acme.okta.com/oauth2/v1/keys',
      audience: 'https://id.example.com',
      providerId: 'acme',
    },
  ],
})
