/** What your server is created with, beside the rest. */
export const serverOptions = {
  scopes: { 'invoices.read': 'See invoices', 'invoices.write': 'Write invoices' },
  resources: { 'https://api.example.com': { scopes: ['invoices.read', 'invoices.write'], accessTokenLifetime: 300 } },
}
