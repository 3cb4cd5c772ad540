import type { ClientChange } from '@mintmark/core'

import { defineRoute, type AdminCall, type AdminRoute } from '../admin-route.ts'
import { versioned } from '../versioned.ts'
import { addSecretBody, pageQuery } from '../wire/common-schema.ts'
import {
  clientAnswer,
  clientBody,
  clientChangeBody,
  clientsAnswer,
  clientSecretAnswer,
  clientWithSecretAnswer,
} from '../wire/client-schema.ts'
import { fromWire } from '../wire/wire-names.ts'

const area = 'clients'
const one = '/clients/{client_id}'

/** What answers below /clients. */
export const clientRoutes: readonly AdminRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/clients',
    area,
    access: 'read',
    summary: 'Lists clients, in the order of their identifiers.',
    query: pageQuery,
    status: 200,
    answer: clientsAnswer,
    handle: async ({ admin, query }) => ({ body: await admin.clients.list(query) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/clients',
    area,
    access: 'write',
    summary: 'Registers a client. Its secret is in this answer alone.',
    body: clientBody,
    status: 201,
    answer: clientWithSecretAnswer,
    handle: async ({ admin, body }) => {
      const created = await admin.clients.create(fromWire(body))
      return {
        body: created,
        version: created.client.version,
        location: `/clients/${encodeURIComponent(created.client.clientId)}`,
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: one,
    area,
    access: 'read',
    summary: 'Reads a client.',
    status: 200,
    answer: clientAnswer,
    handle: async (call) => versioned(await call.admin.clients.read(call.part('client_id'))),
  }),
  defineRoute({
    method: 'PATCH',
    path: one,
    area,
    access: 'write',
    summary:
      'Changes a client: what is left out stays, null takes away. A client that needs a secret from then on is given one, in this answer alone.',
    body: clientChangeBody,
    heedsVersion: true,
    status: 200,
    answer: clientWithSecretAnswer,
    handle: async (call) => {
      const updated = await call.admin.clients.update(target(call), withoutNull(fromWire(call.body)))
      return { body: updated, version: updated.client.version }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: one,
    area,
    access: 'write',
    summary: 'Removes a client for good.',
    heedsVersion: true,
    status: 204,
    handle: async (call) => {
      await call.admin.clients.remove(target(call))
      return {}
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/disable`,
    area,
    access: 'write',
    summary: 'Disables a client: from now on nothing of it is honoured.',
    heedsVersion: true,
    status: 200,
    answer: clientAnswer,
    handle: async (call) => versioned(await call.admin.clients.disable(target(call))),
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/enable`,
    area,
    access: 'write',
    summary: 'Puts a disabled client back into use.',
    heedsVersion: true,
    status: 200,
    answer: clientAnswer,
    handle: async (call) => versioned(await call.admin.clients.enable(target(call))),
  }),
  defineRoute({
    method: 'POST',
    path: `${one}/secrets`,
    area,
    access: 'write',
    summary: 'Gives a client another secret beside the one in use. It is in this answer alone.',
    body: addSecretBody,
    status: 201,
    answer: clientSecretAnswer,
    handle: async ({ admin, part, body }) => ({
      body: { clientSecret: await admin.clients.addSecret(part('client_id'), fromWire(body)) },
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${one}/secrets/previous`,
    area,
    access: 'write',
    summary: 'Ends all secrets of a client but the newest.',
    status: 204,
    handle: async ({ admin, part }) => {
      await admin.clients.endPreviousSecrets(part('client_id'))
      return {}
    },
  }),
]

const target = ({ part, version }: AdminCall<unknown, unknown>) => ({ clientId: part('client_id'), version })

/** RFC 7396 §2: null takes away. Only what may be absent admits it. */
const withoutNull = (change: object): ClientChange =>
  Object.fromEntries(Object.entries(change).map(([name, value]: [string, unknown]) => [name, value ?? undefined]))
