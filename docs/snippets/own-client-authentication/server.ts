import { createAuthorizationServer, registerClient, type AuthorizationServerOptions } from '@mintmark/core'
import { workloadIdentity } from './workload.ts'

export async function createServer(options: AuthorizationServerOptions) {
  const server = createAuthorizationServer({ ...options, clientAuthentication: [workloadIdentity] })
  await registerClient(
    {
      clientId: 'system:serviceaccount:billing:invoices',
      clientName: 'Invoices',
      tokenEndpointAuthMethod: workloadIdentity.method,
      grantTypes: ['client_credentials'],
      scopes: ['orders.read'],
    },
    { storage: options.storage, clientRules: server.clientRules },
  )
  return server
}
