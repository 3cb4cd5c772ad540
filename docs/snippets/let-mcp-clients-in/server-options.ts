import type { AuthorizationServerOptions } from '@mintmark/core'

const scopes = ['openid', 'offline_access', 'notes.read', 'notes.write']

/** Add these to the options of `createAuthorizationServer`. */
export const forMcp = {
  scopes: { 'notes.read': 'Read your notes', 'notes.write': 'Change your notes' },
  resources: { 'https://mcp.example.com/mcp': { scopes: ['notes.read', 'notes.write'] } },
  // Clients that publish a metadata document.
  clientDocuments: { allow: '*', scopes },
  // Clients that can only register themselves.
  openRegistration: { scopes, redirectHosts: ['claude.ai', 'claude.com', 'chatgpt.com', 'cursor'] },
} satisfies Partial<AuthorizationServerOptions>
