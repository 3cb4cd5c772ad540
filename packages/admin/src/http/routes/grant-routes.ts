import { defineRoute, type AdminRoute } from '../admin-route.ts'
import {
  grantPageAnswer,
  grantsAnswer,
  revokedAnswer,
  revokedPageAnswer,
  sessionsAnswer,
} from '../wire/account-schema.ts'
import { pageQuery } from '../wire/common-schema.ts'

const area = 'grants'

/** What answers about grants and sessions. */
export const grantRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/accounts/{user_id}/grants',
    area,
    access: 'read',
    summary: 'Lists what a person allowed clients, newest first.',
    status: 200,
    answer: grantsAnswer,
    handle: async ({ admin, part }) => ({ body: { items: await admin.grants.listOfAccount(part('user_id')) } }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/accounts/{user_id}/grants',
    area,
    access: 'write',
    summary: 'Ends everything that a person allowed clients.',
    status: 200,
    answer: revokedAnswer,
    handle: async ({ admin, part }) => ({ body: { revoked: await admin.grants.revokeAllOfAccount(part('user_id')) } }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/accounts/{user_id}/grants/{grant_id}',
    area,
    access: 'write',
    summary: 'Ends a grant: consent and tokens, at once.',
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
      'Lists what people allowed a client. A page is a page of accounts: it may show fewer grants, or none, before the last page.',
    query: pageQuery,
    status: 200,
    answer: grantPageAnswer,
    handle: async ({ admin, part, query }) => ({ body: await admin.grants.listOfClient(part('client_id'), query) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/clients/{client_id}/grants',
    area,
    access: 'write',
    summary: 'Ends what people allowed a client, a page of accounts at a time: go on until there is no next.',
    query: pageQuery,
    status: 200,
    answer: revokedPageAnswer,
    handle: async ({ admin, part, query }) => ({ body: await admin.grants.revokeOfClient(part('client_id'), query) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/accounts/{user_id}/sessions',
    area,
    access: 'read',
    summary: 'Lists the browsers in which a person is signed in, newest first.',
    status: 200,
    answer: sessionsAnswer,
    handle: async ({ admin, part }) => ({ body: { items: await admin.sessions.listOfAccount(part('user_id')) } }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/accounts/{user_id}/sessions',
    area,
    access: 'write',
    summary: 'Signs a person out everywhere.',
    status: 200,
    answer: revokedAnswer,
    handle: async ({ admin, part }) => ({
      body: { revoked: await admin.sessions.revokeAllOfAccount(part('user_id')) },
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/accounts/{user_id}/sessions/{session_id}',
    area,
    access: 'write',
    summary: 'Signs a person out in one browser.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.sessions.revoke({ userId: part('user_id'), sessionId: part('session_id') })
      return {}
    },
  }),
]
