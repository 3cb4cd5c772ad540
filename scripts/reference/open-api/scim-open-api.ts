import type { JsonObject } from '@mintmark/storage-interface'

import { groupResourceType, userResourceType } from '@mintmark/scim'
import { openApiOf } from './open-api-of.ts'
import { schemaRef } from './published-endpoint.ts'
import { scimEndpoints } from './scim-endpoints.ts'
import { schemaOfResource } from './scim-schema.ts'

/** The OpenAPI document of SCIM below an issuer, with the schemas that a host has that adds none. */
export const scimOpenApi = (issuer: string): JsonObject =>
  openApiOf({
    title: 'Mintmark SCIM',
    description: 'SCIM 2.0 (RFC 7643, RFC 7644) for one identity provider. Names of endpoints do not differ by case.',
    server: `${issuer}/scim/v2/enterprise-idps/{provider_id}`,
    endpoints: scimEndpoints(),
    schemas: { User: schemaOfResource(userResourceType), Group: schemaOfResource(groupResourceType), ...messages },
    securitySchemes: {
      secret_token: { type: 'http', scheme: 'bearer', description: 'The Secret Token of the identity provider.' },
      access_token: {
        type: 'http',
        scheme: 'bearer',
        description: 'An access token with the scope `scim`, of a client of the identity provider.',
      },
    },
    refusal: { mediaType: 'application/scim+json', schema: schemaRef('Error') },
  })

const text: JsonObject = { type: 'string' }
const names: JsonObject = { type: 'array', items: text }

/** RFC 7644 §8.2: the schemas of messages. */
const message = (name: string, properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties: {
    schemas: { type: 'array', items: { const: `urn:ietf:params:scim:api:messages:2.0:${name}` } },
    ...properties,
  },
  required: ['schemas', ...required],
})

const messages: Readonly<Record<string, JsonObject>> = {
  SearchRequest: message(
    'SearchRequest',
    {
      attributes: names,
      excludedAttributes: names,
      filter: text,
      sortBy: text,
      sortOrder: text,
      startIndex: { type: 'integer' },
      count: { type: 'integer' },
      cursor: text,
    },
    [],
  ),
  PatchOp: message(
    'PatchOp',
    {
      Operations: {
        type: 'array',
        items: {
          type: 'object',
          properties: { op: { type: 'string', enum: ['add', 'remove', 'replace'] }, path: text, value: {} },
          required: ['op'],
        },
      },
    },
    ['Operations'],
  ),
  BulkRequest: message(
    'BulkRequest',
    {
      failOnErrors: { type: 'integer', minimum: 1, maximum: 1000 },
      Operations: {
        type: 'array',
        maxItems: 1000,
        items: {
          type: 'object',
          properties: {
            method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
            path: text,
            bulkId: text,
            version: text,
            data: {},
          },
          required: ['method', 'path'],
        },
      },
    },
    ['Operations'],
  ),
  BulkResponse: message(
    'BulkResponse',
    {
      Operations: {
        type: 'array',
        items: {
          type: 'object',
          properties: { method: text, location: text, bulkId: text, version: text, status: text, response: {} },
          required: ['method', 'status'],
        },
      },
    },
    ['Operations'],
  ),
  Error: message('Error', { status: text, scimType: text, detail: text }, ['status', 'detail']),
}
