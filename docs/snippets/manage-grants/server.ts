import { createAuthorizationServer, registerClient, type AuthorizationServerOptions } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

export const createServer = (options: AuthorizationServerOptions) =>
  createAuthorizationServer({ ...options, grantManagement: true })

/** Registers a client that manages the grants of its users. */
export const registerManager = (storage: OAuthStorage) =>
  registerClient(
    {
      clientName: 'Ledger',
      redirectUris: ['https://ledger.example/cb'],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes: ['openid', 'offline_access', 'grant_management_query', 'grant_management_revoke'],
    },
    { storage },
  )
