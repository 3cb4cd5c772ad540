/** Part of the options of your server. */
export const serverOptions = {
  scopes: { 'invoices.read': 'See invoices', 'invoices.write': 'Write invoices' },
  resources: { 'https://api.example.com': { scopes: ['invoices.read', 'invoices.write'], accessTokenLifetime: 300 } },
}
