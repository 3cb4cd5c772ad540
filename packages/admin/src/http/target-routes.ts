import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { deliveryAnswer } from './delivery-routes.ts'
import { anyObject, fromWire, identifier, optionalMembers, pageAnswer, pageQuery, seconds, strings } from './wire.ts'

const displayName = z.string().min(1).max(200)

const settings = {
  provider_ids: strings(1024),
  includes_host_users: z.boolean(),
  on_removal: z.enum(['deactivate', 'delete']),
  adopts_existing: z.boolean(),
}

const credential = z.union([
  z.strictObject({ bearer_token: z.string().min(1).max(8192) }),
  z.strictObject({
    token_endpoint: z.string().min(1).max(2048),
    client_id: identifier,
    client_secret: z.string().min(1).max(8192),
    scope: z.string().min(1).max(2048).exactOptional(),
  }),
])

const targetAnswer = z.strictObject({
  target_id: z.string(),
  display_name: z.string(),
  base_url: z.string(),
  provider_ids: z.array(z.string()),
  includes_host_users: z.boolean(),
  on_removal: z.string(),
  adopts_existing: z.boolean(),
  disabled_at: seconds.exactOptional(),
  created_at: seconds,
})

const divergence = z.strictObject({
  kind: z.enum(['user', 'group']),
  state: z.enum(['missing', 'different', 'unlinked', 'extra']),
  local_id: z.string().exactOptional(),
  remote_id: z.string().exactOptional(),
  name: z.string(),
  requests: z.array(
    z.strictObject({
      method: z.string(),
      path: z.string(),
      body: anyObject.exactOptional(),
      version: z.string().exactOptional(),
    }),
  ),
})

const area = 'provisioning'
const itemPath = '/provisioning-targets/{target_id}'

/** The routes below /provisioning-targets. */
export const targetRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/provisioning-targets',
    area,
    access: 'read',
    summary: 'Lists the partners whose SCIM services get users and groups.',
    status: 200,
    answer: z.strictObject({ items: z.array(targetAnswer) }),
    handle: async ({ admin }) => ({ body: { items: await admin.targets.list() } }),
  }),
  defineRoute({
    method: 'POST',
    path: '/provisioning-targets',
    area,
    access: 'write',
    summary: 'Creates a partner, which is disabled. Its credential is stored encrypted, and no response contains it.',
    body: z.strictObject({
      target_id: identifier,
      display_name: displayName,
      base_url: z.string().min(1).max(2048),
      credential,
      ...optionalMembers(settings),
    }),
    status: 201,
    answer: targetAnswer,
    handle: async ({ admin, body: { credential: sent, ...body } }) => {
      const created = await admin.targets.create({ ...fromWire(body), credential: fromWire(sent) })
      return { body: created, location: `/provisioning-targets/${encodeURIComponent(created.targetId)}` }
    },
  }),
  defineRoute({
    method: 'GET',
    path: itemPath,
    area,
    access: 'read',
    summary: 'Reads a partner.',
    status: 200,
    answer: targetAnswer,
    handle: async ({ admin, part }) => ({ body: await admin.targets.read(part('target_id')) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: itemPath,
    area,
    access: 'write',
    summary: 'Changes the settings of a partner. Members that are left out stay as they are.',
    body: z.strictObject(optionalMembers({ display_name: displayName, ...settings })),
    status: 200,
    answer: targetAnswer,
    handle: async ({ admin, part, body }) => ({ body: await admin.targets.update(part('target_id'), fromWire(body)) }),
  }),
  defineRoute({
    method: 'DELETE',
    path: itemPath,
    area,
    access: 'write',
    summary: 'Removes a partner. Its unsent messages are abandoned, and what it has stays there.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.targets.remove(part('target_id'))
      return {}
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/replace-credential`,
    area,
    access: 'write',
    summary: 'Replaces the credential for a partner. The previous one is not kept.',
    body: z.strictObject({ credential }),
    status: 204,
    handle: async ({ admin, part, body }) => {
      await admin.targets.replaceCredential(part('target_id'), fromWire(body.credential))
      return {}
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/disable`,
    area,
    access: 'write',
    summary: 'Disables a partner. Changes of the last 30 days that were not sent are sent once it is enabled again.',
    status: 200,
    answer: targetAnswer,
    handle: async ({ admin, part }) => ({ body: await admin.targets.disable(part('target_id')) }),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/enable`,
    area,
    access: 'write',
    summary: 'Enables a partner: changes are sent from now on.',
    status: 200,
    answer: targetAnswer,
    handle: async ({ admin, part }) => ({ body: await admin.targets.enable(part('target_id')) }),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/compare`,
    area,
    access: 'write',
    summary:
      'Compares users and groups with what the partner has, and changes nothing: a dry run, and later a report of differences. Reads everything that the partner has.',
    status: 200,
    answer: z.strictObject({ users: z.int(), groups: z.int(), divergences: z.array(divergence) }),
    handle: async ({ admin, part }) => ({ body: await admin.targets.compare(part('target_id')) }),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/synchronize`,
    area,
    access: 'write',
    summary: 'Sends everything that the partner does not have, or has otherwise. Returns the numbers of messages.',
    status: 200,
    answer: z.strictObject({ users: z.int(), groups: z.int() }),
    handle: async ({ admin, part }) => ({ body: await admin.targets.synchronize(part('target_id')) }),
  }),
  defineRoute({
    method: 'GET',
    path: `${itemPath}/failures`,
    area,
    access: 'read',
    summary: 'Lists the messages to a partner that were abandoned, newest first, each with its failure.',
    query: pageQuery,
    status: 200,
    answer: pageAnswer(deliveryAnswer),
    handle: async ({ admin, part, query }) => ({ body: await admin.targets.failures(part('target_id'), query) }),
  }),
]
