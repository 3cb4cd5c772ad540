import type { AuthorizationServerOptions } from '@mintmark/core'

/** The host's own table: the users whom the partner names. */
declare function findByPartnerNumber(number: string): Promise<string | undefined>

/** Part of the options of your server. */
export const serverOptions = {
  resources: { 'https://orders.example.com': { scopes: [] } },
  jwtBearer: {
    issuers: [
      {
        issuer: 'https://partner.example',
        jwksUri: 'https://partner.example/keys',
        clients: ['partner-backend'],
        scopes: [],
        audiences: ['https://orders.example.com'],
        findUser: ({ sub }) => (typeof sub === 'string' ? findByPartnerNumber(sub) : undefined),
      },
    ],
  },
} satisfies Partial<AuthorizationServerOptions>
