import { registerClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Registers a service that authenticates by the DNS name in its certificate. Its tokens are bound to the certificate. */
export const registerService = (storage: OAuthStorage) =>
  registerClient(
    {
      clientId: 'billing',
      clientName: 'Billing',
      grantTypes: ['client_credentials'],
      scopes: ['orders.read'],
      tokenEndpointAuthMethod: 'tls_client_auth',
      tlsClientAuthSanDns: 'billing.example.com',
      tlsClientCertificateBoundAccessTokens: true,
    },
    { storage },
  )
