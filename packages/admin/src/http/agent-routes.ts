import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { pageAnswer, pageQuery, seconds } from './wire.ts'

const agentAnswer = z.strictObject({
  client_id: z.string(),
  client_name: z.string(),
  provider_id: z.string(),
  owner_user_id: z.string(),
  external_id: z.string().exactOptional(),
  created_at: seconds,
  disabled_at: seconds.exactOptional(),
  ended_by: z.enum(['administrator', 'directory_disabled', 'owner_inactive', 'directory']).exactOptional(),
})

const area = 'clients'

/** The routes of agents. An agent is a client, and is changed below /clients. */
export const agentRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/users/{user_id}/agents',
    area,
    access: 'read',
    summary: 'Lists the agents that a user owns, ordered by identifier, each with why it is disabled.',
    query: pageQuery,
    status: 200,
    answer: pageAnswer(agentAnswer),
    handle: async ({ admin, part, query }) => ({
      body: await admin.agents.list({ userId: part('user_id') }, query),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/identity-providers/{provider_id}/agents',
    area,
    access: 'read',
    summary:
      'Lists the agents that an identity provider provisions, ordered by identifier, each with its owner and why it is disabled.',
    query: pageQuery,
    status: 200,
    answer: pageAnswer(agentAnswer),
    handle: async ({ admin, part, query }) => ({
      body: await admin.agents.list({ providerId: part('provider_id') }, query),
    }),
  }),
]
