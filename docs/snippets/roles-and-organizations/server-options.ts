/** Part of the options of your server. */
export const serverOptions = {
  scopes: { 'orders.read': 'See orders', 'orders.write': 'Change orders' },
  resources: {
    'https://api.example.com': {
      scopes: ['orders.read', 'orders.write'],
      accessTokenClaims: {
        roles: ['scim_roles', { claim: 'product_role' }],
        groups: ['group_names'],
        entitlements: ['scim_entitlements'],
      },
    },
  },
} as const
