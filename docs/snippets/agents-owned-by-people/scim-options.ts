import { spiffeWorkload } from '@mintmark/core'
import type { ScimServerOptions } from '@mintmark/scim'

/** Part of the options of `createScimServer`. */
export const scimOptions = {
  agents: {
    clientFor: ({ resource: { agentUserName } }) => ({
      scopes: ['tickets.read'],
      resources: ['https://api.example.com'],
      ...spiffeWorkload({
        id: `spiffe://agents.example.com/${typeof agentUserName === 'string' ? agentUserName : 'unnamed'}`,
        jwksUri: 'https://agents.example.com/keys',
      }),
    }),
  },
} satisfies Partial<ScimServerOptions>
