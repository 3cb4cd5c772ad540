import type { JsonObject } from '@mintmark/storage-interface'

import {
  inQuery,
  schemaRef,
  type Answer,
  type Content,
  type Parameter,
  type PublishedEndpoint,
} from './published-endpoint.ts'

/** Every endpoint of the SCIM server, below the Tenant URL of an identity provider. */
export const scimEndpoints = (): readonly PublishedEndpoint[] => [
  ...resourceEndpoints('/Users', 'User'),
  ...resourceEndpoints('/Groups', 'Group'),
  endpoint('POST', '/.search', {
    standard: 'RFC 7644 §3.4.3',
    summary: 'Searches users and groups at once.',
    body: scim(schemaRef('SearchRequest')),
    answers: { 200: list('SearchResult') },
  }),
  endpoint('POST', '/Bulk', {
    standard: 'RFC 7644 §3.7',
    summary: 'Carries out several operations, one after another.',
    body: scim(schemaRef('BulkRequest')),
    answers: { 200: answer('What became of each.', schemaRef('BulkResponse')) },
  }),
  endpoint('GET', '/ServiceProviderConfig', {
    standard: 'RFC 7644 §4',
    summary: 'What the server can do.',
    answers: { 200: answer('Its features and limits.', { type: 'object' }) },
  }),
  ...['/Schemas', '/ResourceTypes'].flatMap((path) => [
    endpoint('GET', path, {
      standard: 'RFC 7644 §4',
      summary: `The ${path === '/Schemas' ? 'schemas' : 'types of resources'} that there are.`,
      answers: { 200: answer('All of them.', { type: 'object' }) },
    }),
    endpoint('GET', `${path}/{id}`, {
      standard: 'RFC 7644 §4',
      summary: 'One of them.',
      parameters: [id],
      answers: { 200: answer('It.', { type: 'object' }) },
    }),
  ]),
]

function resourceEndpoints(path: string, type: string): readonly PublishedEndpoint[] {
  const kind = type.toLowerCase()
  const one = answer(`The ${kind}.`, schemaRef(type))
  const member = `${path}/{id}`
  return [
    endpoint('GET', path, {
      standard: 'RFC 7644 §3.4.2',
      summary: `Lists ${kind}s that match a filter.`,
      parameters: searched,
      answers: { 200: list(type) },
    }),
    endpoint('POST', path, {
      standard: 'RFC 7644 §3.3',
      summary: `Creates a ${kind}.`,
      parameters: projected,
      body: scim(schemaRef(type)),
      answers: { 201: one },
    }),
    endpoint('POST', `${path}/.search`, {
      standard: 'RFC 7644 §3.4.3',
      summary: `Lists ${kind}s: the query is in the message, where no log keeps it.`,
      body: scim(schemaRef('SearchRequest')),
      answers: { 200: list(type) },
    }),
    endpoint('GET', member, {
      standard: 'RFC 7644 §3.4.1',
      summary: `Reads a ${kind}.`,
      parameters: [id, ...projected, ifNoneMatch],
      answers: { 200: one, 304: { description: 'As it was.' } },
    }),
    endpoint('PUT', member, {
      standard: 'RFC 7644 §3.5.1',
      summary: `Replaces a ${kind}.`,
      parameters: [id, ...projected, ifMatch],
      body: scim(schemaRef(type)),
      answers: { 200: one },
    }),
    endpoint('PATCH', member, {
      standard: 'RFC 7644 §3.5.2',
      summary: `Changes a ${kind}.`,
      parameters: [id, ...projected, ifMatch],
      body: scim(schemaRef('PatchOp')),
      answers: { 200: one },
    }),
    endpoint('DELETE', member, {
      standard: 'RFC 7644 §3.6',
      summary:
        type === 'User'
          ? 'Ends the account: from this moment no token or session of it is honoured.'
          : 'Removes the group; its members are as they were.',
      parameters: [id, ifMatch],
      answers: { 204: { description: 'It is gone.' } },
    }),
  ]
}

type Details = Pick<PublishedEndpoint, 'standard' | 'summary' | 'answers'> & Partial<PublishedEndpoint>

function endpoint(method: PublishedEndpoint['method'], path: string, details: Details): PublishedEndpoint {
  const group = path.split('/')[1] ?? ''
  return {
    method,
    path,
    group: group === '.search' ? 'Search' : group,
    security: ['secret_token', 'access_token'],
    ...details,
  }
}

const scim = (schema: JsonObject): Content => ({ mediaType: 'application/scim+json', schema })

const answer = (description: string, schema: JsonObject): Answer => ({ description, content: [scim(schema)] })

/** RFC 7644 §3.4.2, RFC 9865 §2. */
function list(type: string): Answer {
  const items = type === 'SearchResult' ? { anyOf: [schemaRef('User'), schemaRef('Group')] } : schemaRef(type)
  return answer('A page of them.', {
    type: 'object',
    properties: {
      schemas: { type: 'array', items: { type: 'string' } },
      totalResults: { type: 'integer' },
      startIndex: { type: 'integer' },
      itemsPerPage: { type: 'integer' },
      nextCursor: { type: 'string' },
      Resources: { type: 'array', items },
    },
  })
}

const id: Parameter = { name: 'id', in: 'path', description: 'The `id` of the resource.' }
const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'The ETag of the version that is meant (RFC 7644 §3.14).',
}
const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of the copy at hand (RFC 7644 §3.14).',
}

const projected: readonly Parameter[] = [
  { name: 'attributes', description: 'Names of attributes to answer with, with commas between them (RFC 7644 §3.9).' },
  { name: 'excludedAttributes', description: 'Names of attributes to leave out (RFC 7644 §3.9).' },
].map(inQuery)

const searched: readonly Parameter[] = [
  ...[
    { name: 'filter', description: 'RFC 7644 §3.4.2.2: `userName eq "ann@example.com"`.' },
    { name: 'sortBy', description: 'RFC 7644 §3.4.2.3.' },
    {
      name: 'sortOrder',
      description: '`ascending` or `descending`.',
      schema: { type: 'string', enum: ['ascending', 'descending'] },
    },
    { name: 'startIndex', description: 'From 1 (RFC 7644 §3.4.2.4).', schema: { type: 'integer' } },
    { name: 'count', description: 'How many at most.', schema: { type: 'integer' } },
    { name: 'cursor', description: 'Empty for the first page, then `nextCursor` of the page before (RFC 9865 §2).' },
  ].map(inQuery),
  ...projected,
]
