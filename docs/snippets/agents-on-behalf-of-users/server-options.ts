import type { AuthorizationServerOptions } from '@mintmark/core'

/** Part of the options of your server. */
export const serverOptions = {
  scopes: { 'invoices.read': 'See invoices', 'invoices.write': 'Write invoices' },
  resources: {
    'https://assistant.example.com': { scopes: ['invoices.read', 'invoices.write'] },
    'https://invoices.example.com': { scopes: ['invoices.read', 'invoices.write'], accessTokenLifetime: 300 },
  },
  tokenExchange: {
    rules: [
      {
        clients: ['assistant'],
        mode: 'delegation',
        audiences: ['https://invoices.example.com'],
        scopes: ['invoices.read'],
      },
    ],
  },
} satisfies Partial<AuthorizationServerOptions>
