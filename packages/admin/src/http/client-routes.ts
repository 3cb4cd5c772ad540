import type { ClientChange, ClientTarget } from '@mintmark/core/internal'
import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { secretHolderRoutes } from './secret-holder-routes.ts'
import { fromWire } from './wire-names.ts'
import { anyObject, identifier, optionally, pageAnswer, seconds, secretAnswer, texts, version } from './wire-schemas.ts'

/** The algorithms of JWA and its successors. The server refuses those that it does not sign with. */
const algorithm = z.enum(['RS256', 'PS256', 'ES256', 'EdDSA', 'ML-DSA-65'])

/** Names of RFC 7591 §2. */
const members = {
  client_name: z.string().min(1).max(200),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']),
  redirect_uris: texts(2000),
  grant_types: texts(200, 20),
  scopes: texts(256, 200),
  served_audiences: texts(2000),
  id_token_signed_response_alg: algorithm,
  require_auth_time: z.boolean(),
}

const clearable = {
  jwks: anyObject,
  jwks_uri: z.string().max(2000),
  userinfo_signed_response_alg: algorithm,
  default_max_age: z.int().min(0),
}

const clientBody = z.strictObject({
  ...optionally({ client_id: identifier, ...members, ...clearable }),
  client_name: members.client_name,
})

const nullable = {
  jwks: clearable.jwks.nullable(),
  jwks_uri: clearable.jwks_uri.nullable(),
  userinfo_signed_response_alg: clearable.userinfo_signed_response_alg.nullable(),
  default_max_age: clearable.default_max_age.nullable(),
}

/** Members that are left out stay as they are; null removes a value. */
const clientChangeBody = z.strictObject(optionally({ ...members, ...nullable }))

const clientAnswer = z.strictObject({
  client_id: identifier,
  ...members,
  id_token_signed_response_alg: z.string(),
  jwks: anyObject.exactOptional(),
  jwks_uri: z.string().exactOptional(),
  userinfo_signed_response_alg: z.string().exactOptional(),
  default_max_age: z.int().exactOptional(),
  secrets: z.array(secretAnswer),
  disabled_at: seconds.exactOptional(),
  created_at: seconds,
  version,
})

/** With the secret, if one was created. No other response contains it. */
const clientWithSecretAnswer = z.strictObject({
  client: clientAnswer,
  client_secret: z.string().exactOptional(),
})

const area = 'clients'
const one = '/clients/{client_id}'
const target = (clientId: string, version: number | undefined): ClientTarget => ({ clientId, version })

const shared = secretHolderRoutes({
  area,
  collection: '/clients',
  one,
  parameter: 'client_id',
  target,
  administration: (admin) => admin.clients,
  summaries: {
    list: 'Lists clients, ordered by identifier.',
    read: 'Reads a client.',
    remove: 'Removes a client for good.',
    disable: 'Disables a client: its requests and tokens are refused from now on.',
    enable: 'Enables a disabled client.',
    addSecret: 'Adds a secret to a client, beside the current one. Only this response contains it.',
    revokePreviousSecrets: 'Revokes all secrets of a client but the newest.',
  },
  answers: {
    one: clientAnswer,
    page: pageAnswer(clientAnswer),
    secret: z.strictObject({ client_secret: z.string() }),
  },
  withSecret: (clientSecret) => ({ clientSecret }),
})

/** The routes below /clients, apart from grants. */
export const clientRoutes: readonly AdminRoute[] = [
  shared.list,
  defineRoute({
    method: 'POST',
    path: '/clients',
    area,
    access: 'write',
    summary: 'Registers a client. Only this response contains its secret.',
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
  shared.read,
  defineRoute({
    method: 'PATCH',
    path: one,
    area,
    access: 'write',
    summary:
      'Changes a client. Members that are left out stay as they are; null removes a value. A client that starts to use a secret is given one, in this response only.',
    body: clientChangeBody,
    heedsVersion: true,
    status: 200,
    answer: clientWithSecretAnswer,
    handle: async ({ admin, part, version: expected, body }) => {
      const updated = await admin.clients.update(target(part('client_id'), expected), withoutNull(fromWire(body)))
      return { body: updated, version: updated.client.version }
    },
  }),
  shared.remove,
  shared.disable,
  shared.enable,
  shared.addSecret,
  shared.revokePreviousSecrets,
]

/** RFC 7396 §2: null removes a value. The schema accepts it for optional members only. */
const withoutNull = (change: object): ClientChange =>
  Object.fromEntries(Object.entries(change).map(([name, value]: [string, unknown]) => [name, value ?? undefined]))
