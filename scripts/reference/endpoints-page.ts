import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { DocumentedApis } from './documented-apis.ts'

/** The page `docs/reference/endpoints.md`, from the OpenAPI documents. */
export const endpointsPage = ({ byName: apis }: DocumentedApis): string =>
  [
    introduction,
    '## Authorization server',
    'Below the issuer. The two `/.well-known` addresses are also served where a client looks for them when the issuer has a path (RFC 8414 §3.1).',
    sections(apis['authorization-server'].document, heading(3)),
    '## SCIM',
    'Below `{issuer}/scim/v2/enterprise-idps/{provider_id}`, the Tenant URL. Every endpoint wants the Secret Token of the identity provider, or an access token with the scope `scim`. `/Me` answers 501 (RFC 7644 §3.11).',
    sections(apis.scim.document, heading(3)),
    '## Administration',
    'Below `{issuer}/admin/v1`, where `/openapi.json` is for everybody. Every endpoint wants an access token with the scope that is named, or whatever the option `authorize` accepts.',
    sections(apis.administration.document, heading(3)),
  ].join('\n\n') + '\n'

const introduction = `# Endpoints

Every address that the servers answer: what it takes, what it answers, and the section of the standard that defines it. The
same as OpenAPI 3.1: [authorization server](openapi/authorization-server.json), [SCIM](openapi/scim.json),
[administration](openapi/administration.json).

Refusals have the status and the body that the standard gives them. Which there are is said in
[events and reasons](events.md). HEAD is answered wherever GET is. This page is written by \`pnpm reference\`.`

const heading = (depth: number): string => '#'.repeat(depth)

/** OpenAPI's objects, as far as they are read here. */
interface Operation {
  readonly summary: string
  readonly 'x-standard'?: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> }
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>> }
    >
  >
}

function sections(document: JsonObject, marks: string): string {
  const { paths } = document as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) =>
        section(`${marks} ${method.toUpperCase()} ${path}`, operation),
      ),
    )
    .join('\n\n')
}

function section(title: string, operation: Operation): string {
  const { summary, security, parameters = [], requestBody } = operation
  const standard = operation['x-standard']
  const scopes = security.flatMap((each) => Object.values(each).flat())
  const proofs = security.flatMap((each) => Object.keys(each)).filter((name) => !everywhere.has(name))
  const fields = Object.entries(requestBody?.content ?? {}).flatMap(([mediaType, { schema }]) =>
    fieldsOf(schema, mediaType),
  )
  const taken = [...parameters.map(parameterLine), ...fields]
  return [
    title,
    [
      summary,
      standard && `Standard: ${standard}.`,
      proofs.length > 0 && `Wants: ${proofs.map(code).join(', ')}.`,
      scopes.length > 0 && `Scope: ${scopes.map(code).join(', ')}.`,
    ]
      .filter(Boolean)
      .join(' '),
    ...(taken.length > 0 ? [`Takes:\n\n${taken.map((line) => `- ${line}`).join('\n')}`] : []),
    `Answers:\n\n${answers(operation)
      .map((line) => `- ${line}`)
      .join('\n')}`,
  ].join('\n\n')
}

const parameterLine = ({
  name,
  in: where,
  required,
  description,
}: NonNullable<Operation['parameters']>[number]): string =>
  `${code(name)} (${where === 'query' && required === true ? 'query, required' : where})${description === undefined ? '' : `: ${description}`}`

function fieldsOf(schema: JsonObject, mediaType: string): readonly string[] {
  const reference = schema['$ref']
  if (typeof reference === 'string') return [`a ${code(reference.split('/').at(-1) ?? '')} as ${code(mediaType)}`]
  const required = schema['required']
  const needed: readonly JsonValue[] = Array.isArray(required) ? required : []
  return Object.entries((schema['properties'] ?? {}) as JsonObject).map(([name, member]) => {
    const { description } = (member ?? {}) as JsonObject
    const where = `${mediaType.endsWith('urlencoded') ? 'form' : 'JSON'}${needed.includes(name) ? ', required' : ''}`
    return `${code(name)} (${where})${typeof description === 'string' ? `: ${description}` : ''}`
  })
}

function answers({ responses }: Operation): readonly string[] {
  return Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { description, content = {} }]) => {
      const members = Object.entries(content).map(([mediaType, { schema }]) => contentLine(mediaType, schema))
      return `${status}: ${description}${members.length === 0 ? '' : ` ${members.join('; ')}.`}`
    })
}

function contentLine(mediaType: string, schema: JsonObject): string {
  const reference = schema['$ref']
  if (typeof reference === 'string') return `${code(reference.split('/').at(-1) ?? '')} as ${code(mediaType)}`
  const names = Object.keys((schema['properties'] ?? {}) as JsonObject)
  return names.length === 0 ? code(mediaType) : `${names.map(code).join(', ')} as ${code(mediaType)}`
}

/** Ways to prove who calls that all endpoints of an API have: they are told once. */
const everywhere: ReadonlySet<string> = new Set(['oauth2', 'secret_token', 'access_token'])

const code = (text: string): string => `\`${text}\``
