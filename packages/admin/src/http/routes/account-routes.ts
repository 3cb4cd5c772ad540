import { defineRoute, type AdminRoute } from '../admin-route.ts'
import { versioned } from '../versioned.ts'
import {
  accountAnswer,
  accountBody,
  accountChangeBody,
  accountsAnswer,
  endedAccountAnswer,
  searchBody,
} from '../wire/account-schema.ts'
import { accountQuery } from '../wire/common-schema.ts'
import { fromWire } from '../wire/wire-names.ts'

const area = 'accounts'
const one = '/accounts/{user_id}'

/** What answers below /accounts, apart from grants, sessions and memberships. */
export const accountRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/accounts',
    area,
    access: 'read',
    summary: 'Lists accounts, oldest first, that a filter of RFC 7644 section 3.4.2.2 matches.',
    query: accountQuery,
    status: 200,
    answer: accountsAnswer,
    handle: async ({ admin, query }) => ({ body: await admin.users.list(query) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/accounts',
    area,
    access: 'write',
    summary: 'Creates an account.',
    body: accountBody,
    status: 201,
    answer: accountAnswer,
    handle: async ({ admin, body }) => {
      const account = await admin.users.create(fromWire(body))
      return { ...versioned(account), location: `/accounts/${encodeURIComponent(account.userId)}` }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/account-search',
    area,
    access: 'read',
    summary:
      'Lists accounts as GET does, with the search in the body: what is searched for stays out of logs of addresses.',
    body: searchBody,
    status: 200,
    answer: accountsAnswer,
    handle: async ({ admin, body }) => ({ body: await admin.users.list(body) }),
  }),
  defineRoute({
    method: 'GET',
    path: one,
    area,
    access: 'read',
    summary: 'Reads an account.',
    status: 200,
    answer: accountAnswer,
    handle: async ({ admin, part }) => versioned(await admin.users.read(part('user_id'))),
  }),
  defineRoute({
    method: 'PATCH',
    path: one,
    area,
    access: 'write',
    summary: 'Changes the claims and custom fields of an account: what is left out stays, null takes away.',
    body: accountChangeBody,
    heedsVersion: true,
    status: 200,
    answer: accountAnswer,
    handle: async ({ admin, part, version, body }) =>
      versioned(await admin.users.update({ userId: part('user_id'), version }, fromWire(body))),
  }),
  defineRoute({
    method: 'DELETE',
    path: one,
    area,
    access: 'write',
    summary: 'Removes an account for good, with everything that is known of the person.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.users.remove(part('user_id'))
      return {}
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/deactivate`,
    area,
    access: 'write',
    summary:
      'Deactivates an account, and says what died: from this moment nothing that was issued to the person is honoured.',
    status: 200,
    answer: endedAccountAnswer,
    handle: async ({ admin, part }) => {
      const ended = await admin.users.deactivate(part('user_id'))
      return { body: ended, version: ended.account.version }
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/reactivate`,
    area,
    access: 'write',
    summary: 'Reactivates an account. Nothing that was issued before is revived.',
    status: 200,
    answer: accountAnswer,
    handle: async ({ admin, part }) => versioned(await admin.users.reactivate(part('user_id'))),
  }),
]
