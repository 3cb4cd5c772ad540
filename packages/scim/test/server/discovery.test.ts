import { describe, expect, test } from 'vitest'

import { defineResourceType, defineSchema } from '../../src/index.ts'
import { enterpriseUserSchema, userSchema } from '../../src/engine.ts'
import { expectRefusal, groupSchema, startDirectory } from '../fixtures/directory-under-test.ts'
import { idsOf, resourcesOf } from '../fixtures/users-under-test.ts'
import { startScim } from '../fixtures/scim-under-test.ts'

const base = 'https://as.test/scim/v2/enterprise-idps/T1'
const containsNull = (value: unknown): boolean => JSON.stringify(value).includes('null')

test('ServiceProviderConfig lists the supported features (RFC 7643 §5, RFC 9865 §4)', async () => {
  const scim = await startScim()

  const reply = await scim.send({ path: '/ServiceProviderConfig' })

  expect(reply.status).toBe(200)
  expect(reply.body).toEqual({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    documentationUri: 'https://github.com/mintmark/mintmark/blob/main/docs/reference/limits.md',
    patch: { supported: true },
    bulk: { supported: true, maxOperations: 1000, maxPayloadSize: 4_194_304 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: 100,
      maxPageSize: 200,
      cursorTimeout: 3600,
    },
    authenticationSchemes: [
      expect.objectContaining({
        type: 'oauthbearertoken',
        name: 'OAuth Bearer Token',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      }),
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  })
})

test('changePassword is supported when the host accepts passwords (RFC 7643 §5)', async () => {
  const scim = await startScim({ password: async () => {} })

  expect(await scim.send({ path: '/serviceproviderconfig' })).toMatchObject({
    body: { changePassword: { supported: true } },
  })
})

describe('schemas', () => {
  test('are a ListResponse with all schemas, without nulls, each with its location (RFC 7644 §4)', async () => {
    const scim = await startScim()

    const reply = await scim.send({ path: '/Schemas' })

    const ids = [userSchema.id, enterpriseUserSchema.id, groupSchema]
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 3,
      startIndex: 1,
      itemsPerPage: 3,
    })
    expect(idsOf(reply)).toEqual(ids)
    expect(resourcesOf(reply).map(({ meta }) => meta)).toEqual(
      ids.map((id) => ({ resourceType: 'Schema', location: `${base}/Schemas/${id}` })),
    )
    expect(resourcesOf(reply)[0]?.['attributes']).toContainEqual(
      expect.objectContaining({ name: 'userName', required: true, uniqueness: 'server' }),
    )
    expect(containsNull(reply.body)).toBe(false)
  })

  test('are each found by their URN, in upper or lower case', async () => {
    const scim = await startScim()
    const all = await scim.send({ path: '/Schemas' })

    const one = await Promise.all(idsOf(all).map((id) => scim.send({ path: `/Schemas/${id}` })))
    const capital = await Promise.all(
      idsOf(all).map((id) => scim.send({ path: `/schemas/${encodeURIComponent(id.toUpperCase())}` })),
    )

    expect(one.map(({ body }) => body)).toEqual(resourcesOf(all))
    expect(capital.map(({ body }) => body)).toEqual(resourcesOf(all))
  })

  test('of the host are published, and their resource types list them (RFC 7643 §3.3)', async () => {
    const badge = defineSchema({
      id: 'urn:example:badge',
      name: 'Badge',
      attributes: [{ name: 'number', required: true }],
    })
    const userType = defineResourceType({
      name: 'User',
      endpoint: '/Users',
      schema: userSchema,
      extensions: [enterpriseUserSchema, { schema: badge, required: true }],
    })
    const scim = await startScim({ userType })

    const schema = await scim.send({ path: '/Schemas/urn:example:badge' })
    const type = await scim.send({ path: '/ResourceTypes/User' })

    expect(schema).toMatchObject({
      status: 200,
      body: { id: 'urn:example:badge', name: 'Badge', attributes: [{ name: 'number', required: true }] },
    })
    expect(type).toMatchObject({
      body: {
        schemaExtensions: [
          { schema: enterpriseUserSchema.id, required: false },
          { schema: 'urn:example:badge', required: true },
        ],
      },
    })
  })
})

describe('resource types', () => {
  test('both are listed, and found by their names (RFC 7643 §6)', async () => {
    const scim = await startScim()

    const list = await scim.send({ path: '/ResourceTypes' })

    expect(list).toMatchObject({ status: 200, body: { totalResults: 2, itemsPerPage: 2, startIndex: 1 } })
    expect(resourcesOf(list)).toMatchObject([
      {
        id: 'User',
        name: 'User',
        endpoint: '/Users',
        schema: userSchema.id,
        meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
      },
      {
        id: 'Group',
        name: 'Group',
        endpoint: '/Groups',
        schema: groupSchema,
        meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/Group` },
      },
    ])
    const one = await Promise.all(idsOf(list).map((id) => scim.send({ path: `/ResourceTypes/${id}` })))
    expect(one.map(({ body }) => body)).toEqual(resourcesOf(list))
    expect(containsNull(list.body)).toBe(false)
  })

  test('every location contains the tenant URL of the provider', async () => {
    const scim = await startScim()

    for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes/User']) {
      const text = JSON.stringify((await scim.send({ path, provider: 'T2' })).body)
      expect(text).toContain('/enterprise-idps/T2/')
      expect(text).not.toContain('/T1/')
    }
  })
})

const paths = [
  '/ServiceProviderConfig',
  '/Schemas',
  `/Schemas/${userSchema.id}`,
  '/ResourceTypes',
  '/ResourceTypes/User',
]

test.each(paths)('%s with a filter is 403 (RFC 7644 §4)', async (path) => {
  const directory = await startDirectory(0)

  await expectRefusal(directory, () => directory.send({ path: `${path}?filter=id%20pr` }), {
    status: 403,
    reason: 'discovery_filtered',
  })
})

test.each(paths)('%s ignores paging, sorting and attributes (RFC 7644 §4)', async (path) => {
  const scim = await startScim()

  const reply = await scim.send({
    path: `${path}?startIndex=2&count=0&cursor=x&sortBy=zz&attributes=id&excludedAttributes=name`,
  })

  expect(reply).toEqual(await scim.send({ path }))
})

test.each([
  '/Schemas/urn:example:none',
  '/Schemas/__proto__',
  '/ResourceTypes/Users',
  '/ServiceProviderConfig/x',
  '/ServiceProviderConfigs',
  '/Me/x',
])('%s is 404 (RFC 7644 §3.12)', async (path) => {
  const directory = await startDirectory(0)

  const reply = await directory.send({ path })

  expect(reply).toMatchObject({ status: 404, body: { status: '404' } })
})

test.each(paths)('%s is read-only and requires authentication (RFC 7644 §4)', async (path) => {
  const directory = await startDirectory(0)

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    await expectRefusal(directory, () => directory.send({ method, path, body: {} }), {
      status: 405,
      reason: 'method_not_allowed',
    })
  }
  for (const authorization of [undefined, '']) {
    await expectRefusal(directory, () => directory.send({ path, authorization }), {
      status: 401,
      reason: 'credentials_missing',
    })
  }
})

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s /Me is 501 (RFC 7644 §3.11)', async (method) => {
  const directory = await startDirectory(1)

  for (const path of ['/Me', '/me'])
    await expectRefusal(directory, () => directory.send({ method, path }), { status: 501, reason: 'me_not_offered' })
})
