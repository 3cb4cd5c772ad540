import type { AuthorizationServerOptions } from '@mintmark/core'

/** Part of the options of the server whose APIs agents call. */
export const serverOptions = {
  scopes: { 'tools.use': 'Use the tools' },
  resources: { 'https://mcp.example.com/': { scopes: ['tools.use'] } },
  crossAppAccess: { accepts: true },
} satisfies Partial<AuthorizationServerOptions>
