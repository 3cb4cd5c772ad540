import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { Content, Field, Parameter, PublishedEndpoint } from './published-endpoint.ts'

/** What a document is made of. */
export interface PublishedApi {
  readonly title: string
  readonly description: string
  readonly server: string
  readonly endpoints: readonly PublishedEndpoint[]
  readonly schemas: Readonly<Record<string, JsonObject>>
  readonly securitySchemes: JsonObject
  /** What every refusal looks like. */
  readonly refusal: Content
}

/** The OpenAPI 3.1 document of an API; `x-standard` names the section that defines an operation. */
export function openApiOf(api: PublishedApi): JsonObject {
  const names = [...new Set(api.endpoints.map(({ path }) => path))]
  const operations = (path: string): JsonObject =>
    Object.fromEntries(
      api.endpoints
        .filter((each) => each.path === path)
        .map((each) => [each.method.toLowerCase(), operation(each, api)]),
    )
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: '1', description: api.description },
    servers: [{ url: api.server }],
    paths: Object.fromEntries(names.map((path) => [path, operations(path)])),
    components: { schemas: { ...api.schemas }, securitySchemes: api.securitySchemes },
  }
}

function operation(endpoint: PublishedEndpoint, { refusal }: PublishedApi): JsonObject {
  const { method, path, summary, group, standard, security, parameters = [], form, body, answers } = endpoint
  const content =
    form === undefined ? body : { mediaType: 'application/x-www-form-urlencoded', schema: formSchema(form) }
  return {
    operationId: operationId(method, path),
    summary,
    tags: [group],
    'x-standard': standard,
    security: security.map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 && { parameters: parameters.map(parameter) }),
    ...(content !== undefined && { requestBody: { required: true, content: contents([content]) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, content: given }]) => [
          status,
          answer(description, given),
        ]),
      ),
      default: answer('Refused.', [refusal]),
    },
  }
}

const answer = (description: string, content: readonly Content[] = []): JsonObject => ({
  description,
  ...(content.length > 0 && { content: contents(content) }),
})

const contents = (all: readonly Content[]): JsonObject =>
  Object.fromEntries(all.map(({ mediaType, schema }) => [mediaType, { schema }]))

const parameter = ({ name, description, required, schema = text, ...where }: Parameter): JsonObject => ({
  name,
  in: where.in,
  required: required === true || where.in === 'path',
  description,
  schema,
})

function formSchema(fields: readonly Field[]): JsonObject {
  const properties = fields.map(({ name, description, schema = text }): [string, JsonValue] => [
    name,
    { ...schema, description },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** `POST /token/revocation` is `postTokenRevocation`. */
const operationId = (method: string, path: string): string =>
  method.toLowerCase() +
  path.replaceAll(/[^A-Za-z]+([A-Za-z])/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/[^A-Za-z]/g, '')

const text: JsonObject = { type: 'string' }
