import type { JsonObject } from '@mintmark/storage-interface'

import { oauthEndpoints } from './oauth-endpoints.ts'
import { openApiOf } from './open-api-of.ts'
import { schemaRef } from './published-endpoint.ts'

/** The OpenAPI document of an authorization server with this metadata. */
export const oauthOpenApi = (issuer: string, metadata: JsonObject): JsonObject =>
  openApiOf({
    title: 'Mintmark authorization server',
    description: "OAuth 2.0 and OpenID Connect. The login and consent pages are the host's own and are not listed.",
    server: issuer,
    endpoints: oauthEndpoints(
      Object.fromEntries(
        Object.entries(metadata).flatMap(([name, value]) => (Array.isArray(value) ? [[name, value.map(String)]] : [])),
      ),
    ),
    schemas,
    securitySchemes,
    refusal: { mediaType: 'application/json', schema: schemaRef('Error') },
  })

const text: JsonObject = { type: 'string' }

const schemas: Readonly<Record<string, JsonObject>> = {
  Error: {
    type: 'object',
    description: 'RFC 6749 §5.2. At `/auth` it goes to the client where that is safe, and to a page otherwise.',
    properties: { error: text, error_description: text },
    required: ['error'],
  },
  Tokens: {
    type: 'object',
    description: 'RFC 6749 §5.1, OIDC Core §3.1.3.3.',
    properties: {
      access_token: text,
      token_type: { const: 'Bearer' },
      expires_in: { type: 'integer', description: 'Seconds.' },
      refresh_token: { ...text, description: 'With the scope `offline_access`, for clients that may refresh.' },
      id_token: { ...text, description: 'With the scope `openid`.' },
      scope: text,
    },
    required: ['access_token', 'token_type', 'expires_in'],
  },
  Introspection: {
    type: 'object',
    description: 'RFC 7662 §2.2; of what is not active, nothing but that.',
    properties: {
      active: { type: 'boolean' },
      scope: text,
      client_id: text,
      sub: text,
      iss: text,
      aud: {},
      exp: { type: 'integer' },
      iat: { type: 'integer' },
      token_type: text,
    },
    required: ['active'],
  },
  Claims: {
    type: 'object',
    description: 'OIDC Core §5.1.',
    properties: { sub: text },
    required: ['sub'],
    additionalProperties: true,
  },
  KeySet: {
    type: 'object',
    description: 'RFC 7517 §5.',
    properties: { keys: { type: 'array', items: { type: 'object' } } },
    required: ['keys'],
  },
  Metadata: {
    type: 'object',
    description: 'RFC 8414 §2, OIDC Discovery §3.',
    properties: { issuer: text },
    required: ['issuer'],
    additionalProperties: true,
  },
}

const securitySchemes: JsonObject = {
  client_secret_basic: { type: 'http', scheme: 'basic', description: 'RFC 6749 §2.3.1.' },
  client_secret_post: {
    type: 'apiKey',
    in: 'query',
    name: 'client_secret',
    description: 'RFC 6749 §2.3.1: in the form, not in the address, which OpenAPI has no word for.',
  },
  private_key_jwt: {
    type: 'apiKey',
    in: 'query',
    name: 'client_assertion',
    description: 'RFC 7523 §2.2: in the form, not in the address, which OpenAPI has no word for.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token, in the header or in the form of a POST (RFC 6750 §2).',
  },
}
