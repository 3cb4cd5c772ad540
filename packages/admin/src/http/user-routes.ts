import * as z from 'zod'

import { defineRoute, withVersion, type AdminRoute } from './admin-route.ts'
import { anyObject, fromWire, optionalMembers, pageAnswer, pageMembers, seconds, version } from './wire.ts'

const members = { claims: anyObject, custom_fields: anyObject }

const userBody = z.strictObject(optionalMembers({ user_id: z.string().min(1).max(255), ...members }))

/**
 * Members that are left out stay as they are, including members of `claims` and `custom_fields`; null removes a claim
 * or a field (RFC 7396 §2, one level deep).
 */
const userChangeBody = z.strictObject(optionalMembers(members))

const userAnswer = z.strictObject({
  user_id: z.string(),
  active: z.boolean(),
  provider_id: z.string().exactOptional(),
  blocked_at: seconds.exactOptional(),
  ...members,
  created_at: seconds,
  updated_at: seconds,
  version,
})

/** The access that was revoked. It is left out if storage could not list it. */
const revokedAccess = {
  ended: z
    .strictObject({
      grants: z.array(z.strictObject({ grant_id: z.string(), client_id: z.string() })),
      session_ids: z.array(z.string()),
    })
    .exactOptional(),
}

/** A deactivated user, with the access that was revoked. */
const deactivatedAnswer = z.strictObject({ user: userAnswer, ...revokedAccess })

const usersAnswer = z.strictObject({ ...pageAnswer(userAnswer).shape, total: z.int() })

const userQuery = z.strictObject({ ...pageMembers, filter: z.string().max(4096).exactOptional() })

/** The body contains the search instead of the query, so that access logs do not contain it. */
const searchBody = z.strictObject(
  optionalMembers({ filter: z.string().max(4096), after: z.string().min(1).max(1100), limit: z.int().min(1).max(200) }),
)

const upsertBody = z.strictObject({
  users: z
    .array(
      z.strictObject({
        user_id: z.string().min(1).max(255),
        ...optionalMembers({ ...members, active: z.boolean() }),
      }),
    )
    .min(1)
    .max(200),
  dry_run: z.boolean().exactOptional(),
})

const upsertAnswer = z.strictObject({
  results: z.array(
    z.strictObject({
      user_id: z.string(),
      outcome: z.enum(['created', 'updated', 'unchanged', 'refused']),
      reason: z.string().exactOptional(),
    }),
  ),
})

const area = 'users'
const itemPath = '/users/{user_id}'

/** The routes that list and change users. Other files define the routes for grants, sessions and memberships. */
export const userRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/users',
    area,
    access: 'read',
    summary: 'Lists users that match a filter (RFC 7644 section 3.4.2.2), oldest first.',
    query: userQuery,
    status: 200,
    answer: usersAnswer,
    handle: async ({ admin, query }) => ({ body: await admin.users.list(query) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/users',
    area,
    access: 'write',
    summary: 'Creates a user.',
    body: userBody,
    status: 201,
    answer: userAnswer,
    handle: async ({ admin, body }) => {
      const user = await admin.users.create(fromWire(body))
      return { ...withVersion(user), location: `/users/${encodeURIComponent(user.userId)}` }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/user-search',
    area,
    access: 'read',
    summary: 'Lists users as GET does, with the search in the body, so that access logs do not contain it.',
    body: searchBody,
    status: 200,
    answer: usersAnswer,
    handle: async ({ admin, body }) => ({ body: await admin.users.list(body) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/user-upserts',
    area,
    access: 'write',
    summary:
      "Writes users from the host's own table, with the host's own identifiers: creates users that do not exist, and replaces the claims and custom fields of the others. A user that cannot be written is refused with a reason; the others are written.",
    body: upsertBody,
    status: 200,
    answer: upsertAnswer,
    handle: async ({ admin, body: { users, dry_run: dryRun = false } }) => ({
      body: { results: await admin.users.upsert(users.map(fromWire), { dryRun }) },
    }),
  }),
  defineRoute({
    method: 'GET',
    path: itemPath,
    area,
    access: 'read',
    summary: 'Reads a user.',
    status: 200,
    answer: userAnswer,
    handle: async ({ admin, part }) => withVersion(await admin.users.read(part('user_id'))),
  }),
  defineRoute({
    method: 'PATCH',
    path: itemPath,
    area,
    access: 'write',
    summary:
      'Changes the claims and custom fields of a user. Members that are left out stay as they are; null removes a value.',
    body: userChangeBody,
    checksIfMatch: true,
    status: 200,
    answer: userAnswer,
    handle: async ({ admin, part, version: expected, body }) =>
      withVersion(await admin.users.update({ userId: part('user_id'), version: expected }, fromWire(body))),
  }),
  defineRoute({
    method: 'DELETE',
    path: itemPath,
    area,
    access: 'write',
    summary: 'Removes a user for good, with all data about the user.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.users.remove(part('user_id'))
      return {}
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/deactivate`,
    area,
    access: 'write',
    summary:
      'Blocks a user, revokes everything issued to them, and lists the revoked access. No identity provider can lift the block.',
    status: 200,
    answer: deactivatedAnswer,
    handle: async ({ admin, part }) => {
      const { user, revoked } = await admin.users.deactivate(part('user_id'))
      return { body: { user, ended: revoked }, version: user.version }
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/reactivate`,
    area,
    access: 'write',
    summary:
      'Lifts the block of a user. If an identity provider has deactivated them too, they stay inactive; repeat the request to activate them anyway. Credentials from before the deactivation stay revoked.',
    status: 200,
    answer: userAnswer,
    handle: async ({ admin, part }) => withVersion(await admin.users.reactivate(part('user_id'))),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/revoke-access`,
    area,
    access: 'write',
    summary:
      'Signs a user out everywhere, revokes everything issued to them, and lists the revoked access. The user stays active and can sign in again.',
    status: 200,
    answer: z.strictObject(revokedAccess),
    handle: async ({ admin, part }) => ({ body: { ended: await admin.users.revokeAccess(part('user_id')) } }),
  }),
]
