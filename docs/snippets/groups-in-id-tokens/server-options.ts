/** Part of the options of your server. */
export const serverOptions = {
  scopes: {
    groups: {
      description: 'See the groups that you are in',
      // The groups of the user's directory, in the ID token and at userinfo.
      identityClaims: { groups: ['group_names'] },
    },
  },
} as const
