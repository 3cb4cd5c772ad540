/** Part of the options of your server. */
export const organizationOptions = {
  organizations: true,
  scopes: { 'orders.read': 'See orders' },
  resources: {
    'https://api.example.com': {
      scopes: ['orders.read'],
      accessTokenClaims: { roles: ['organization_roles'] },
    },
  },
} as const
