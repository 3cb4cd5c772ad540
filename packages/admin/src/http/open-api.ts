import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import * as z from 'zod'

import { refusals } from '../error/refusals.ts'
import type { AdminRoute } from './admin-route.ts'
import { adminScopes, narrowestScope } from './admin-scopes.ts'

/** Creates the OpenAPI 3.1 document from the table of routes that the server uses. */
export function openApi(issuer: string, base: string, routes: readonly AdminRoute[]): JsonObject {
  const paths = new Map<string, Record<string, JsonValue>>()
  for (const route of routes) {
    const item = paths.get(route.path) ?? {}
    item[route.method.toLowerCase()] = operation(route)
    paths.set(route.path, item)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mintmark administration',
      version: '1',
      description: 'Clients, identity providers, users, organizations, grants and sessions.',
    },
    servers: [{ url: base }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: { Problem: problem },
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: `${issuer}/token`, scopes: { ...adminScopes } } },
        },
      },
    },
  }
}

function operation(route: AdminRoute): JsonObject {
  const { method, path, area, access, summary, body, answer, status } = route
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+([A-Za-z])/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/[^A-Za-z]/g, '')}`,
    summary,
    tags: [area],
    security: [{ oauth2: area === 'any' ? [] : [narrowestScope(area, access)] }],
    parameters: parameters(route),
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    responses: {
      [status]:
        answer === undefined
          ? { description: 'The request succeeded.' }
          : {
              description: 'The request succeeded.',
              content: { 'application/json': { schema: schemaOf(answer, 'output') } },
            },
      default: {
        description: 'The request was refused.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

function parameters({ path, query, checksIfMatch }: AdminRoute): readonly JsonObject[] {
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const { properties = {}, required = [] } = query === undefined ? {} : schemaOf(query, 'input')
  const queried = Object.entries(properties as JsonObject).map(([name, schema]) => ({
    name,
    in: 'query',
    required: (required as readonly string[]).includes(name),
    schema,
  }))
  const ifMatch = {
    name: 'If-Match',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description: 'The ETag of the expected version.',
  }
  return [...parts, ...queried, ...(checksIfMatch === true ? [ifMatch] : [])]
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return JSON.parse(JSON.stringify(jsonSchema)) as JsonObject
}

/** RFC 9457 §3. */
const problem = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer', enum: [...new Set(Object.values(refusals).map(({ status }) => status))] },
    code: {
      type: 'string',
      enum: Object.keys(refusals),
      description: 'The reason. Its value never changes, so programs may depend on it.',
    },
    detail: { type: 'string' },
    pointer: { type: 'string', description: 'The invalid member of the request (RFC 6901).' },
  },
  required: ['type', 'title', 'status', 'code', 'detail'],
}
