import { registerClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Registers a command line tool: everybody can read its code, so it has no secret. */
export const registerTool = (storage: OAuthStorage) =>
  registerClient(
    {
      clientId: 'tool',
      clientName: 'Example CLI',
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      scopes: ['openid', 'profile', 'offline_access'],
    },
    { storage },
  )
