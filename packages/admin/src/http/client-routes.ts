import { type ClientRegistration } from '@mintmark/core'
import { type ClientChange, type ClientTarget, type MetadataRule, clientMetadata } from '@mintmark/core/internal'
import * as z from 'zod'

import { defineRoute, type AdminRoute } from './admin-route.ts'
import { secretHolderRoutes } from './secret-holder-routes.ts'
import {
  anyObject,
  fromWire,
  identifier,
  pageAnswer,
  seconds,
  secretAnswer,
  snakeName,
  strings,
  version,
} from './wire.ts'

const bodySchemas: Readonly<Record<MetadataRule['kind'], (rule: MetadataRule) => z.ZodType>> = {
  string: (rule) => (isClearable(rule) ? z.string() : z.string().min(1)).max(rule.maxLength ?? 2000),
  strings: ({ maxLength = 2000, maxItems }) => strings(maxLength, maxItems),
  method: ({ values = [] }) => z.enum(values),
  algorithm: ({ values = [] }) => z.enum(values),
  choice: ({ values = [] }) => z.enum(values),
  boolean: () => z.boolean(),
  seconds: () => z.int().min(0),
  object: () => anyObject,
}

const clientBody = z.strictObject({
  client_id: identifier.exactOptional(),
  ...memberSchemas((rule) => (rule.presence === 'required' ? bodySchema(rule) : bodySchema(rule).exactOptional())),
})

/** Members that are left out stay as they are; null removes a value. */
const clientChangeBody = z.strictObject(
  memberSchemas((rule) => (isClearable(rule) ? bodySchema(rule).nullable() : bodySchema(rule)).exactOptional()),
)

const clientAnswer = z.strictObject({
  client_id: identifier,
  ...memberSchemas((rule) => (isClearable(rule) ? answerSchema(rule).exactOptional() : answerSchema(rule))),
  secrets: z.array(secretAnswer),
  origin: z.enum(['administrator', 'registration', 'open_registration', 'document', 'directory']),
  agent: z
    .strictObject({
      provider_id: z.string(),
      owner_user_id: z.string(),
      external_id: z.string().exactOptional(),
      ended_at: seconds.exactOptional(),
    })
    .exactOptional(),
  document_digest: z.string().exactOptional(),
  document_read_at: seconds.exactOptional(),
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
const itemPath = '/clients/{client_id}'
const target = (clientId: string, version: number | undefined): ClientTarget => ({ clientId, version })

const sharedRoutes = secretHolderRoutes({
  area,
  collection: '/clients',
  itemPath,
  parameter: 'client_id',
  target,
  administration: (admin) => admin.clients,
  summaries: {
    list: 'Lists clients, ordered by identifier.',
    read: 'Reads a client.',
    remove: 'Removes a client for good.',
    disable: 'Disables a client: its requests and tokens are refused from now on.',
    enable: 'Enables a disabled client.',
    addSecret: 'Adds a secret to a client. The current one stays valid. Only this response contains the new one.',
    revokePreviousSecrets: 'Revokes all secrets of a client except the newest.',
  },
  answers: {
    item: clientAnswer,
    page: pageAnswer(clientAnswer),
    secret: z.strictObject({ client_secret: z.string() }),
  },
  withSecret: (clientSecret) => ({ clientSecret }),
})

/** The routes that list and change clients. `grant-routes.ts` defines the routes for grants. */
export const clientRoutes: readonly AdminRoute[] = [
  sharedRoutes.list,
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
      const created = await admin.clients.create(registrationOf(body))
      return {
        body: created,
        version: created.client.version,
        location: `/clients/${encodeURIComponent(created.client.clientId)}`,
      }
    },
  }),
  sharedRoutes.read,
  defineRoute({
    method: 'PATCH',
    path: itemPath,
    area,
    access: 'write',
    summary:
      'Changes a client. Members that are left out stay as they are; null removes a value. If the client starts to use a secret, only this response contains it.',
    body: clientChangeBody,
    checksIfMatch: true,
    status: 200,
    answer: clientWithSecretAnswer,
    handle: async ({ admin, part, version: expected, body }) => {
      const updated = await admin.clients.update(target(part('client_id'), expected), changeOf(body))
      return { body: updated, version: updated.client.version }
    },
  }),
  sharedRoutes.remove,
  sharedRoutes.disable,
  sharedRoutes.enable,
  sharedRoutes.addSecret,
  sharedRoutes.revokePreviousSecrets,
]

/** Returns a schema for each member of the metadata table, by its name on the wire (RFC 7591 §2). */
function memberSchemas(schemaOf: (rule: MetadataRule) => z.ZodType): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(Object.entries(clientMetadata).map(([name, rule]) => [snakeName(name), schemaOf(rule)]))
}

function isClearable({ presence }: MetadataRule): boolean {
  return presence === 'clearable'
}

/** Returns the schema of a member in a request. `@mintmark/core` checks the values further. */
function bodySchema(rule: MetadataRule): z.ZodType {
  return bodySchemas[rule.kind](rule)
}

/** Returns the schema of a member in a response, which contains the stored value. */
function answerSchema(rule: MetadataRule): z.ZodType {
  if (rule.kind === 'algorithm') return z.string()
  if (!isClearable(rule) || rule.kind === 'object') return bodySchema(rule)
  return rule.kind === 'seconds' ? z.int() : z.string()
}

/** The schema of the body and the type of a registration both derive from the metadata table, so the cast is safe. */
const registrationOf = (body: object): ClientRegistration => fromWire(body) as ClientRegistration

/** RFC 7396 §2: null removes a value. The schema accepts it for clearable members only. */
const changeOf = (body: object): ClientChange =>
  Object.fromEntries(
    Object.entries(fromWire(body)).map(([name, value]: [string, unknown]) => [name, value ?? undefined]),
  )
