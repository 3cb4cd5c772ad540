import { registerClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Registers the agent: it authenticates, and may ask for payments. */
export const registerAgent = (storage: OAuthStorage) =>
  registerClient(
    {
      clientId: 'agent',
      clientName: 'Shopping agent',
      grantTypes: ['urn:openid:params:grant-type:ciba'],
      scopes: ['openid'],
      authorizationDetailsTypes: ['payment'],
    },
    { storage },
  )
