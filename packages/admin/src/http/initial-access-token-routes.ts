import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { fromWire, optionalMembers, pageAnswer, pageQuery, seconds, strings } from './wire.ts'

const tokenBody = z.strictObject({
  display_name: z.string().min(1).max(200),
  clients: z.int().min(1).max(1000),
  lifetime: z.int().min(1).max(31_536_000),
  scopes: strings(200, 200),
  ...optionalMembers({ grant_types: strings(200, 20), redirect_hosts: strings(200) }),
})

const tokenAnswer = z.strictObject({
  token_id: z.string(),
  display_name: z.string(),
  grant_types: z.array(z.string()),
  scopes: z.array(z.string()),
  redirect_hosts: z.array(z.string()),
  remaining: z.int(),
  created_at: seconds,
  expires_at: seconds,
  revoked_at: seconds.exactOptional(),
})

const area = 'clients'

/** The routes of initial access tokens. */
export const initialAccessTokenRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/initial-access-tokens',
    area,
    access: 'read',
    summary: 'Lists initial access tokens, ordered by identifier.',
    query: pageQuery,
    status: 200,
    answer: pageAnswer(tokenAnswer),
    handle: async ({ admin, query }) => ({ body: await admin.initialAccessTokens.list(query) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/initial-access-tokens',
    area,
    access: 'write',
    summary: 'Creates an initial access token, with which clients register themselves. Only this response contains it.',
    body: tokenBody,
    status: 201,
    answer: z.strictObject({ ...tokenAnswer.shape, initial_access_token: z.string() }),
    async handle({ admin, body }) {
      const { initialAccessToken, view } = await admin.initialAccessTokens.create(fromWire(body))
      return { body: { ...view, initialAccessToken } }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/initial-access-tokens/{token_id}',
    area,
    access: 'write',
    summary: 'Revokes an initial access token. Clients that were registered with it are kept.',
    status: 204,
    async handle({ admin, part }) {
      await admin.initialAccessTokens.revoke(part('token_id'))
      return {}
    },
  }),
]
