import { changeTypes } from '@mintmark/storage-interface/stores'
import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { fromWire, optionalMembers, seconds, version } from './wire.ts'

const settings = { types: z.array(z.enum(changeTypes)).max(changeTypes.length), includes_user: z.boolean() }

const url = z.string().min(1).max(2048)

const webhookAnswer = z.strictObject({
  webhook_id: z.string(),
  url: z.string(),
  types: z.array(z.string()),
  includes_user: z.boolean(),
  secret_count: z.int(),
  disabled_at: seconds.exactOptional(),
  created_at: seconds,
  updated_at: seconds,
  version,
})

const area = 'webhooks'
const itemPath = '/webhooks/{webhook_id}'

/** The routes below /webhooks. */
export const webhookRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/webhooks',
    area,
    access: 'read',
    summary: 'Lists the webhooks.',
    status: 200,
    answer: z.strictObject({ items: z.array(webhookAnswer) }),
    handle: async ({ admin }) => ({ body: { items: await admin.webhooks.list() } }),
  }),
  defineRoute({
    method: 'POST',
    path: '/webhooks',
    area,
    access: 'write',
    summary: 'Creates a webhook. Only this response contains its secret.',
    body: z.strictObject({ url, ...optionalMembers(settings) }),
    status: 201,
    answer: z.strictObject({ webhook: webhookAnswer, secret: z.string() }),
    handle: async ({ admin, body }) => {
      const created = await admin.webhooks.create(fromWire(body))
      return { body: created, location: `/webhooks/${encodeURIComponent(created.webhook.webhookId)}` }
    },
  }),
  defineRoute({
    method: 'GET',
    path: itemPath,
    area,
    access: 'read',
    summary: 'Reads a webhook.',
    status: 200,
    answer: webhookAnswer,
    handle: async ({ admin, part }) => ({ body: await admin.webhooks.read(part('webhook_id')) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: itemPath,
    area,
    access: 'write',
    summary: 'Changes the settings of a webhook. Members that are left out stay as they are.',
    body: z.strictObject(optionalMembers({ url, ...settings })),
    status: 200,
    answer: webhookAnswer,
    handle: async ({ admin, part, body }) => ({
      body: await admin.webhooks.update(part('webhook_id'), fromWire(body)),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: itemPath,
    area,
    access: 'write',
    summary: 'Removes a webhook. Its unsent messages are abandoned.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.webhooks.remove(part('webhook_id'))
      return {}
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/disable`,
    area,
    access: 'write',
    summary: 'Disables a webhook. Changes of the last 30 days that were not sent are sent once it is enabled again.',
    status: 200,
    answer: webhookAnswer,
    handle: async ({ admin, part }) => ({ body: await admin.webhooks.disable(part('webhook_id')) }),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/enable`,
    area,
    access: 'write',
    summary: 'Enables a disabled webhook.',
    status: 200,
    answer: webhookAnswer,
    handle: async ({ admin, part }) => ({ body: await admin.webhooks.enable(part('webhook_id')) }),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/secrets`,
    area,
    access: 'write',
    summary:
      'Adds a secret. Only this response contains it. Messages are signed with both secrets until the previous one is revoked.',
    status: 201,
    answer: z.strictObject({ secret: z.string() }),
    handle: async ({ admin, part }) => ({ body: { secret: await admin.webhooks.addSecret(part('webhook_id')) } }),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/revoke-previous-secrets`,
    area,
    access: 'write',
    summary: 'Revokes all secrets of a webhook except the newest.',
    status: 200,
    answer: webhookAnswer,
    handle: async ({ admin, part }) => ({ body: await admin.webhooks.revokePreviousSecrets(part('webhook_id')) }),
  }),
  defineRoute({
    method: 'POST',
    path: `${itemPath}/replay`,
    area,
    access: 'write',
    summary:
      'Sends all changes after a position again, in order. With position 0 it sends all changes of the last 30 days.',
    body: z.strictObject({ position: z.int().min(0) }),
    status: 200,
    answer: webhookAnswer,
    handle: async ({ admin, part, body }) => ({
      body: await admin.webhooks.replay(part('webhook_id'), body.position),
    }),
  }),
]
