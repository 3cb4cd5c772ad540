import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { anyObject, identifier, pageAnswer, pageMembers, seconds } from './wire.ts'

const state = z.enum(['pending', 'delivered', 'dead'])

export const deliveryAnswer = z.strictObject({
  delivery_id: z.string(),
  channel: z.string(),
  client_id: z.string(),
  content: anyObject,
  state,
  attempts: z.int(),
  created_at: seconds,
  due_at: seconds.exactOptional(),
  expires_at: seconds,
  settled_at: seconds.exactOptional(),
  last_failure: z.string().exactOptional(),
})

const area = 'deliveries'

/** The routes of messages to clients. */
export const deliveryRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/deliveries',
    area,
    access: 'read',
    summary:
      'Lists messages to clients, such as logout tokens, newest first. Without `state`, only those that were abandoned.',
    query: z.strictObject({ ...pageMembers, state: state.exactOptional(), client_id: identifier.exactOptional() }),
    status: 200,
    answer: pageAnswer(deliveryAnswer),
    handle: async ({ admin, query: { client_id: clientId, ...query } }) => ({
      body: await admin.deliveries.list({ ...query, clientId }),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/deliveries/{delivery_id}/requeue',
    area,
    access: 'write',
    summary: 'Requeues a message that was abandoned: the server tries to send it for one more day.',
    status: 200,
    answer: deliveryAnswer,
    handle: async ({ admin, part }) => ({ body: await admin.deliveries.requeue(part('delivery_id')) }),
  }),
]
