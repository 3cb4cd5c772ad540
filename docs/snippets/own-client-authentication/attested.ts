import {
  attestedClients,
  createAuthorizationServer,
  registerClient,
  type AuthorizationServerOptions,
} from '@mintmark/core'
import type { JSONWebKeySet } from 'jose'

/** The public keys with which the backend of each app signs attestations. */
const attesters = new Map<string, JSONWebKeySet>([['phone-app', { keys: [] }]])

export async function createServer(options: AuthorizationServerOptions) {
  const attested = attestedClients({
    storage: options.storage,
    attesterKeys: async ({ clientId }) => attesters.get(clientId),
  })
  const server = createAuthorizationServer({ ...options, clientAuthentication: [attested] })
  await registerClient(
    {
      clientId: 'phone-app',
      clientName: 'Phone app',
      tokenEndpointAuthMethod: 'attest_jwt_client_auth',
      redirectUris: ['com.example.phone:/signed-in'],
      scopes: ['openid', 'offline_access'],
    },
    { storage: options.storage, clientRules: server.clientRules },
  )
  return server
}
