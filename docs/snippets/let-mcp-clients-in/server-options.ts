import type { AuthorizationServerOptions } from '@mintmark/core'

/** Add these to the options of `createAuthorizationServer`. */
export const forMcp = {
  scopes: { 'notes.read': 'Read your notes', 'notes.write': 'Change your notes' },
  resources: { 'https://mcp.example.com/mcp': { scopes: ['notes.read', 'notes.write'] } },
  clientDocuments: {
    allow: '*',
    scopes: ['openid', 'offline_access', 'notes.read', 'notes.write'],
  },
} satisfies Partial<AuthorizationServerOptions>
