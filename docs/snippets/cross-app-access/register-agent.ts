import { registerClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Registers the agent of another vendor. Its secret goes to the vendor. */
export const registerAgent = (storage: OAuthStorage) =>
  registerClient(
    {
      clientId: 'agent',
      clientName: 'Agent',
      grantTypes: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
      scopes: ['tools.use'],
    },
    { storage },
  )
