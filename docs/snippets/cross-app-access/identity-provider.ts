import { type AuthorizationServerOptions, updateClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Part of the options of a server that is the identity provider. */
export const identityProviderOptions = {
  crossAppAccess: { issues: true },
} satisfies Partial<AuthorizationServerOptions>

/** Lets a client, at which users of this server sign in, act for them at https://id.example.com. */
export const allowAgent = (storage: OAuthStorage, agent: string) =>
  updateClient(
    { clientId: agent },
    {
      grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      crossAppAudiences: {
        'https://id.example.com': {
          client_id: 'agent',
          scopes: ['tools.use'],
          resources: ['https://mcp.example.com/'],
        },
      },
    },
    { storage },
  )
