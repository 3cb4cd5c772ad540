import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { DocumentedApis } from './documented-apis.ts'

/** The page `docs/reference/endpoints.md`, from the OpenAPI documents. */
export const endpointsPage = ({ byName: apis }: DocumentedApis): string =>
  [
    introduction,
    '## Authorization server',
    'Below the issuer. The two `/.well-known` addresses are also served where a client looks for them when the issuer has a path (RFC 8414 §3.1).',
    sections(apis['authorization-server'].document),
    '## SCIM',
    'Below `{issuer}/scim/v2/enterprise-idps/{provider_id}`, the Tenant URL. Every endpoint wants the Secret Token of the identity provider, or an access token with the scope `scim`. `/Me` answers 501 (RFC 7644 §3.11).',
    sections(apis.scim.document),
    '## Administration',
    'Below `{issuer}/admin/v1`, where `/openapi.json` is for everybody. Every endpoint wants an access token with the scope that is named, or whatever the option `authorize` accepts.',
    sections(apis.administration.document),
  ].join('\n\n') + '\n'

const introduction = `# Endpoints

Every address that the servers answer: what it takes, what it answers, and the section of the standard that defines it. The
same as OpenAPI 3.1: [authorization server](openapi/authorization-server.json), [SCIM](openapi/scim.json),
[administration](openapi/administration.json).

Refusals have the status and the body that the standard gives them. Which there are is said in
[events and reasons](events.md). HEAD is answered wherever GET is. This page is written by \`pnpm reference\`.`

/** OpenAPI's objects, as far as they are read here. */
interface Operation {
  readonly summary: string
  readonly 'x-standard'?: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
}

type Content = Readonly<Record<string, { readonly schema: JsonObject }>>

function sections(document: JsonObject): string {
  const paths = document['paths'] as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => section(`${method.toUpperCase()} ${path}`, operation)),
    )
    .join('\n\n')
}

function section(title: string, operation: Operation): string {
  const { summary, security, parameters = [], requestBody, responses, 'x-standard': standard } = operation
  const scopes = security.flatMap((each) => Object.values(each).flat())
  const proofs = security.flatMap((each) => Object.keys(each)).filter((name) => !everywhere.has(name))
  const fields = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => fieldsOf(schema, type))
  const answers = Object.entries(responses).filter(([status]) => status !== 'default')
  const sentences = [
    summary,
    standard && `Standard: ${standard}.`,
    proofs.length > 0 && `Wants: ${proofs.map(code).join(', ')}.`,
    scopes.length > 0 && `Scope: ${scopes.map(code).join(', ')}.`,
  ]
  return [
    `### ${title}`,
    sentences.filter(Boolean).join(' '),
    ...listOf('Takes', [...parameters.map(parameterLine), ...fields]),
    ...listOf('Answers', answers.map(answerLine)),
  ].join('\n\n')
}

const listOf = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${name}:\n\n${lines.map((line) => `- ${line}`).join('\n')}`]

const parameterLine = ({ name, in: where, required, description }: Parameter): string =>
  `${code(name)} (${where === 'query' && required === true ? 'query, required' : where})${described(description)}`

function fieldsOf(schema: JsonObject, mediaType: string): readonly string[] {
  const reference = referenceOf(schema)
  if (reference !== undefined) return [`a ${reference} as ${code(mediaType)}`]
  const required = (schema['required'] ?? []) as readonly JsonValue[]
  const place = mediaType.endsWith('urlencoded') ? 'form' : 'JSON'
  return Object.entries(propertiesOf(schema)).map(([name, member]) => {
    const { description } = (member ?? {}) as JsonObject
    return `${code(name)} (${place}${required.includes(name) ? ', required' : ''})${described(description)}`
  })
}

function answerLine([status, { description, content = {} }]: readonly [
  string,
  Operation['responses'][string],
]): string {
  const members = Object.entries(content).map(([mediaType, { schema }]) => {
    const names = referenceOf(schema) ?? Object.keys(propertiesOf(schema)).map(code).join(', ')
    return names === '' ? code(mediaType) : `${names} as ${code(mediaType)}`
  })
  return `${status}: ${description}${members.length === 0 ? '' : ` ${members.join('; ')}.`}`
}

const described = (description: JsonValue | undefined): string =>
  typeof description === 'string' ? `: ${description}` : ''

const propertiesOf = (schema: JsonObject): JsonObject => (schema['properties'] ?? {}) as JsonObject

const referenceOf = ({ $ref: reference }: JsonObject): string | undefined =>
  typeof reference === 'string' ? code(reference.split('/').at(-1) ?? '') : undefined

/** Authentication methods that all endpoints of an API have in common are listed once. */
const everywhere: ReadonlySet<string> = new Set(['oauth2', 'secret_token', 'access_token'])

const code = (text: string): string => `\`${text}\``
