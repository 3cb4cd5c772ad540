import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { pageAnswer, pageQuery, seconds } from './wire.ts'

const grantAnswer = z.strictObject({
  grant_id: z.string(),
  client_id: z.string(),
  user_id: z.string(),
  scopes: z.array(z.string()),
  resources: z.array(z.string()),
  created_at: seconds,
  honoured: z.boolean(),
})

const grantsAnswer = z.strictObject({ items: z.array(grantAnswer) })

const sessionsAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      session_id: z.string(),
      user_id: z.string(),
      signed_in_at: seconds,
      amr: z.array(z.string()),
      expires_at: z.optional(seconds),
      last_seen_at: seconds,
      user_agent: z.optional(z.string()),
      location: z.optional(z.string()),
      client_ids: z.array(z.string()),
    }),
  ),
})

/** The number of grants or sessions that were revoked. */
const revokedAnswer = z.strictObject({ revoked: z.int() })

/** The number of grants that were revoked, and the `after` of the next request. */
const revokedPageAnswer = z.strictObject({ revoked: z.int(), next: z.string().exactOptional() })

const area = 'grants'

/** The routes of grants and sessions. */
export const grantRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/users/{user_id}/grants',
    area,
    access: 'read',
    summary: "Lists a user's grants to clients, newest first.",
    status: 200,
    answer: grantsAnswer,
    handle: async ({ admin, part }) => ({ body: { items: await admin.grants.listOfUser(part('user_id')) } }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/users/{user_id}/grants',
    area,
    access: 'write',
    summary: "Revokes all of a user's grants to clients.",
    status: 200,
    answer: revokedAnswer,
    handle: async ({ admin, part }) => ({ body: { revoked: await admin.grants.revokeAllOfUser(part('user_id')) } }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/users/{user_id}/grants/{grant_id}',
    area,
    access: 'write',
    summary: 'Revokes a grant together with its tokens.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.grants.revoke({ userId: part('user_id'), grantId: part('grant_id') })
      return {}
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/clients/{client_id}/grants',
    area,
    access: 'read',
    summary:
      'Lists the grants to a client. Each page covers a page of users, so it may contain fewer grants than the limit, or none.',
    query: pageQuery,
    status: 200,
    answer: pageAnswer(grantAnswer),
    handle: async ({ admin, part, query }) => ({ body: await admin.grants.listOfClient(part('client_id'), query) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/clients/{client_id}/grants',
    area,
    access: 'write',
    summary:
      'Revokes the grants to a client, one page of users at a time. Repeat the request until there is no `next`.',
    query: pageQuery,
    status: 200,
    answer: revokedPageAnswer,
    handle: async ({ admin, part, query }) => ({ body: await admin.grants.revokeOfClient(part('client_id'), query) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/users/{user_id}/sessions',
    area,
    access: 'read',
    summary: 'Lists the browsers in which a user is signed in, newest first.',
    status: 200,
    answer: sessionsAnswer,
    handle: async ({ admin, part }) => ({ body: { items: await admin.sessions.listOfUser(part('user_id')) } }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/users/{user_id}/sessions',
    area,
    access: 'write',
    summary: 'Signs a user out in every browser.',
    status: 200,
    answer: revokedAnswer,
    handle: async ({ admin, part }) => ({ body: { revoked: await admin.sessions.revokeAllOfUser(part('user_id')) } }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/users/{user_id}/sessions/{session_id}',
    area,
    access: 'write',
    summary: 'Signs a user out in one browser.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.sessions.revoke({ userId: part('user_id'), sessionId: part('session_id') })
      return {}
    },
  }),
]
