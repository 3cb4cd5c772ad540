import { providerId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, test } from 'vitest'

import {
  defineResourceType,
  defineSchema,
  registerIdentityProvider,
  revokeProviderSecrets,
  type ToleranceProfile,
} from '../../src/index.ts'
import { userSchema } from '../../src/engine.ts'
import { idOf, issuer, type ScimReply, type ScimUnderTest, startScim } from '../fixtures/scim-under-test.ts'

// Requests of provisioning clients for which there is no recording: SDKs, HR connectors, and consoles of identity providers.

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const searchRequest = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

const create = (scim: ScimUnderTest, body: object = {}): Promise<ScimReply> =>
  scim.send({ method: 'POST', path: '/Users', body: { schemas: [core], userName: 'kim', ...body } })

const patch = (scim: ScimUnderTest, id: string, ...operations: readonly object[]): Promise<ScimReply> =>
  scim.send({ method: 'PATCH', path: `/Users/${id}`, body: { schemas: [patchOp], Operations: operations } })

const profiles: readonly ToleranceProfile[] = ['general', 'entra', 'okta', 'oneLogin', 'all']

describe('values', () => {
  test.each(profiles)(
    'profile %s: an integer is accepted where the schema declares a string (RFC 7643 §2.3.1)',
    async (toleranceProfile) => {
      const scim = await startScim({ toleranceProfile })

      const created = await create(scim, { externalId: 88_123, [enterprise]: { employeeNumber: 4711 } })
      const changed = await patch(scim, idOf(created), { op: 'replace', value: { title: 7 } })

      expect(created).toMatchObject({
        status: 201,
        body: { externalId: '88123', [enterprise]: { employeeNumber: '4711' } },
      })
      expect(changed).toMatchObject({ status: 200, body: { title: '7' } })
    },
  )

  test.each([
    ['a fraction', { title: 1.5 }],
    ['an integer that may have lost digits', { title: 2 ** 60 }],
    ['a telephone number', { phoneNumbers: [{ value: 4_712_345_678 }] }],
  ])('refuses %s where the schema declares a string (RFC 7643 §2.3.1)', async (_, body) => {
    const scim = await startScim({ toleranceProfile: 'all' })

    expect(await create(scim, body)).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect(scim.lastReason()).toBe('value_type')
  })

  test('profile strict: refuses an integer where the schema declares a string (RFC 7643 §2.3.1)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })

    expect(await create(scim, { title: 7 })).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect(scim.lastReason()).toBe('value_type')
  })

  test.each([
    ['okta', { phoneNumbers: [{ value: '', type: 'work', primary: true }] }],
    ['oneLogin', { phoneNumbers: [{ value: '', type: 'work' }] }],
    ['entra', { phoneNumbers: [{ Value: '', Type: 'work', Primary: 'True' }] }],
  ] as const)('profile %s: an element whose value is empty is dropped', async (toleranceProfile, body) => {
    const scim = await startScim({ toleranceProfile })

    const created = await create(scim, body)

    expect(created.status).toBe(201)
    expect(created.body).not.toHaveProperty('phoneNumbers')
  })

  test('an empty value in an attribute without a sub-attribute value does not drop the element', async () => {
    const scim = await startScim({ toleranceProfile: 'okta' })

    const created = await create(scim, { addresses: [{ value: '', locality: 'Paris' }] })

    expect(created.status).toBe(201)
    expect(created.body).toHaveProperty('addresses')
  })

  test.each([
    ['phoneNumbers', [{ value: null, type: 'work' }]],
    ['emails', [{ value: null, type: 'home', primary: true }]],
    ['addresses', [{ type: 'work', primary: true, locality: null, country: null }]],
  ])('drops an element of %s whose value is null, in every profile (RFC 7643 §2.5)', async (name, elements) => {
    for (const toleranceProfile of ['strict', 'okta'] as const) {
      const scim = await startScim({ toleranceProfile })

      const created = await create(scim, { [name]: elements })

      expect(created.status).toBe(201)
      expect(created.body).not.toHaveProperty(name)
    }
  })

  test.each([
    ['display in a single-valued attribute', { name: { familyName: 'Lee', display: 'Kim Lee' } }],
    ['an unknown name in a multi-valued attribute', { emails: [{ value: 'kim@example.com', note: 'x' }] }],
  ])('profile strict: refuses a sub-attribute that no schema defines: %s (RFC 7643 §2.4)', async (_, body) => {
    const scim = await startScim({ toleranceProfile: 'strict' })

    expect((await create(scim, body)).status).toBe(400)
    expect(scim.lastReason()).toBe('attribute_unknown')
  })

  test('treats a path that is null as absent (RFC 7644 §3.5.2)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })
    const id = idOf(await create(scim))

    expect(await patch(scim, id, { op: 'replace', path: null, value: { title: 'Chair' } })).toMatchObject({
      status: 200,
      body: { title: 'Chair' },
    })
  })

  test('refuses a list of two objects as the value of an operation without a path (RFC 7644 §3.5.2.1)', async () => {
    const scim = await startScim({ toleranceProfile: 'all' })
    const id = idOf(await create(scim))

    const reply = await patch(scim, id, { op: 'replace', value: [{ title: 'Chair' }, { nickName: 'K' }] })

    expect([reply.status, scim.lastReason()]).toEqual([400, 'value_type'])
  })

  test.each(['general', 'all'] as const)(
    'profile %s: a value is unwrapped from one list, but not from nested lists',
    async (toleranceProfile) => {
      const scim = await startScim({ toleranceProfile })
      const id = idOf(await create(scim))

      expect(await patch(scim, id, { op: 'replace', path: 'active', value: [false] })).toMatchObject({
        status: 200,
        body: { active: false },
      })
      for (const value of [[[true]], [[[true]]], [[]]]) {
        expect(await patch(scim, id, { op: 'replace', path: 'active', value })).toMatchObject({ status: 400 })
        expect(scim.lastReason()).toBe('value_type')
      }
    },
  )
})

describe('schemas', () => {
  test.each(['strict', 'general'] as const)(
    'profile %s: accepts a schemas attribute inside an extension, and omits it from the response (RFC 7643 §3)',
    async (toleranceProfile) => {
      const scim = await startScim({ toleranceProfile })
      const extension = { schemas: [enterprise.toLowerCase()], department: 'IT' }

      const created = await create(scim, { schemas: [core, enterprise], [enterprise]: extension })
      const changed = await patch(scim, idOf(created), {
        op: 'replace',
        value: { [enterprise]: { ...extension, department: 'HR' } },
      })

      expect(created).toMatchObject({ status: 201, body: { [enterprise]: { department: 'IT' } } })
      expect(created.body?.[enterprise]).not.toHaveProperty('schemas')
      expect(changed).toMatchObject({ status: 200, body: { [enterprise]: { department: 'HR' } } })
    },
  )

  test('profile strict: refuses a schemas attribute that names another schema inside an extension (RFC 7644 §3.12)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })

    const reply = await create(scim, { [enterprise]: { schemas: [core], department: 'IT' } })

    expect(reply).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } })
    expect(scim.lastReason()).toBe('attribute_unknown')
  })

  test('the URIs of members and managers are published as RFC 7643 §8.7.1 defines them', async () => {
    const scim = await startScim()

    const partOf = async (urn: string, attribute: string): Promise<unknown> => {
      const { body } = await scim.send({ path: `/Schemas/${urn}` })
      const attributes = body?.['attributes'] as readonly { name: string; subAttributes: readonly { name: string }[] }[]
      return attributes.find(({ name }) => name === attribute)?.subAttributes.find(({ name }) => name === '$ref')
    }

    expect(await partOf('urn:ietf:params:scim:schemas:core:2.0:Group', 'members')).toMatchObject({
      mutability: 'immutable',
    })
    expect(await partOf(enterprise, 'manager')).toMatchObject({ mutability: 'readWrite' })
  })

  test('a given $ref of a manager is replaced by the computed one (RFC 7643 §4.3)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })

    const manager = { value: 'u9', $ref: 'https://evil.test/Users/u8' }
    const created = await create(scim, { schemas: [core, enterprise], [enterprise]: { manager } })
    const changed = await patch(scim, idOf(created), {
      op: 'replace',
      path: `${enterprise}:manager.$ref`,
      value: 'https://evil.test/Users/u8',
    })

    for (const { body } of [created, changed]) {
      expect(body).toMatchObject({
        [enterprise]: { manager: { $ref: 'https://as.test/scim/v2/enterprise-idps/T1/Users/u9' } },
      })
    }
  })

  test('profile strict: ignores the display of a member, which is a default sub-attribute (RFC 7643 §2.4)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })
    const kim = idOf(await create(scim))

    const reply = await scim.send({
      method: 'POST',
      path: '/Groups',
      body: {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        displayName: 'Ops',
        members: [{ value: kim, display: 'Kim' }],
      },
    })

    expect(reply).toMatchObject({ status: 201, body: { members: [{ value: kim, type: 'User' }] } })
  })
})

describe('PATCH', () => {
  test.each(profiles)(
    'profile %s: the value of an operation without a path may be wrapped in a list (RFC 7644 §3.5.2.3)',
    async (toleranceProfile) => {
      const scim = await startScim({ toleranceProfile })
      const id = idOf(await create(scim))

      for (const op of ['add', 'replace'])
        expect(await patch(scim, id, { op, value: [{ displayName: op }] })).toMatchObject({ body: { displayName: op } })
    },
  )

  test('profile strict: refuses a list as the value of an operation without a path (RFC 7644 §3.5.2.3)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })
    const id = idOf(await create(scim))

    expect(await patch(scim, id, { op: 'replace', value: [{ displayName: 'L' }] })).toMatchObject({ status: 400 })
    expect(scim.lastReason()).toBe('value_type')
  })

  test.each(['strict', 'general', 'entra'] as const)(
    'profile %s: the value of a replace may be the whole user that a GET shows, with one change (RFC 7644 §3.5.2.3)',
    async (toleranceProfile) => {
      const scim = await startScim({ toleranceProfile })
      const id = idOf(await create(scim))
      for (const displayName of ['Ops', 'Sales'])
        await scim.send({
          method: 'POST',
          path: '/Groups',
          body: {
            schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
            displayName,
            members: [{ value: id }],
          },
        })
      const { body: read } = await scim.send({ path: `/Users/${id}` })

      const reply = await patch(scim, id, { op: 'replace', value: { ...read, title: 'Boss' } })
      const fewer = await patch(scim, id, { op: 'replace', value: { groups: [{ value: 'g9' }, { value: 'g8' }] } })

      expect(reply).toMatchObject({ status: 200, body: { title: 'Boss', groups: [{}, {}] } })
      expect(fewer).toMatchObject({ status: 400, body: { scimType: 'mutability' } })
      expect(scim.lastReason()).toBe('attribute_read_only')
      expect((await scim.send({ path: `/Users/${id}` })).body?.['groups']).toEqual(read?.['groups'])
    },
  )

  test('profile strict: refuses to remove active, which always has a value (RFC 7644 §3.5.2.2)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })
    const id = idOf(await create(scim, { active: false }))

    const reply = await patch(scim, id, { op: 'remove', path: 'active' })

    expect(reply).toMatchObject({ status: 400, body: { scimType: 'mutability' } })
    expect(scim.lastReason()).toBe('attribute_required')
    expect(await scim.send({ path: `/Users/${id}` })).toMatchObject({ body: { active: false } })
  })
})

describe('attributes that are returned on request', () => {
  const staff = 'urn:example:params:scim:schemas:extension:staff:2.0:User'
  const userType = defineResourceType({
    name: 'User',
    endpoint: '/Users',
    schema: userSchema,
    extensions: [
      defineSchema({
        id: staff,
        name: 'Staff',
        attributes: [
          { name: 'badge', returned: 'request' },
          { name: 'desk', returned: 'request' },
        ],
      }),
    ],
  })

  test('are in the response to the write that sets them, and in no other (RFC 7643 §7)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict', userType })

    const created = await create(scim, { schemas: [core, staff], [staff]: { badge: 'b1' } })
    const path = `/Users/${idOf(created)}`
    const changed = await patch(scim, idOf(created), { op: 'add', path: `${staff}:desk`, value: 'd1' })
    const replaced = await scim.send({
      method: 'PUT',
      path,
      body: { schemas: [core, staff], userName: 'kim', [staff]: { badge: 'b2', desk: 'd1' } },
    })
    const excluded = await scim.send({
      method: 'PUT',
      path: `${path}?attributes=userName`,
      body: { schemas: [core, staff], userName: 'kim', [staff]: { badge: 'b3' } },
    })

    expect(created.body?.[staff]).toEqual({ badge: 'b1' })
    expect(changed.body?.[staff]).toEqual({ desk: 'd1' })
    expect(replaced.body?.[staff]).toEqual({ badge: 'b2', desk: 'd1' })
    expect(excluded.body).not.toHaveProperty([staff])
    expect((await scim.send({ path })).body).not.toHaveProperty([staff])
  })
})

describe('searches', () => {
  test.each(profiles)('profile %s: the numbers and lists of a search may be strings', async (toleranceProfile) => {
    const scim = await startScim({ toleranceProfile })
    await create(scim, { displayName: 'Kim' })
    await create(scim, { userName: 'lou', displayName: 'Lou' })

    const reply = await scim.send({
      method: 'POST',
      path: '/Users/.search',
      body: { schemas: [searchRequest], startIndex: '2', count: '10', attributes: 'userName, title' },
    })

    expect(reply).toMatchObject({ status: 200, body: { startIndex: 2, totalResults: 2, itemsPerPage: 1 } })
    const resources = reply.body?.['Resources'] as readonly object[]
    expect(Object.keys(resources[0] ?? {})).toEqual(['schemas', 'id', 'userName'])
  })

  test('a filter of 16 kB finds users by id, and a longer one is refused (RFC 7644 §3.4.3)', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })
    const id = idOf(await create(scim))
    const search = (filter: string): Promise<ScimReply> =>
      scim.send({ method: 'POST', path: '/Users/.search', body: { schemas: [searchRequest], filter } })
    const ids = Array.from({ length: 350 }, (_, index) => `id eq "5b0c2c9e-8a35-4d0c-9f35-${index}"`)

    const found = await search([...ids, `id eq "${id}"`].join(' or '))
    const refused = await search(`${' '.repeat(16_384)}userName pr`)

    expect(found).toMatchObject({ status: 200, body: { totalResults: 1, Resources: [{ id }] } })
    expect(refused).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } })
    expect(scim.lastReason()).toBe('filter_too_long')
  })

  test('the host sets the limits of filters', async () => {
    const scim = await startScim({ filterLimits: { length: 40, parts: 2 } })
    const list = (filter: string): Promise<ScimReply> =>
      scim.send({ path: `/Users?filter=${encodeURIComponent(filter)}` })

    expect(await list('title pr')).toMatchObject({ status: 200 })
    expect(await list('title pr and title pr')).toMatchObject({ status: 400 })
    expect(scim.lastReason()).toBe('filter_too_large')
    expect(await list(`title eq "${'a'.repeat(40)}"`)).toMatchObject({ status: 400 })
    expect(scim.lastReason()).toBe('filter_too_long')
    for (const limit of [0, 1.5, -1, Number.NaN, Infinity])
      await expect(startScim({ filterLimits: { parts: limit } })).rejects.toThrow(TypeError)
  })

  test('entra: a date in a filter needs no quotes', async () => {
    const scim = await startScim({ toleranceProfile: 'entra' })
    await create(scim)

    const found = async (filter: string): Promise<unknown> =>
      (await scim.send({ path: `/Users?filter=${encodeURIComponent(filter)}` })).body?.['totalResults']

    expect(await found('meta.created gt 2015-10-10T14:38:21.86-07:00')).toBe(1)
    expect(await found('meta.created lt 2015-10-10T14:38:21.86-07:00')).toBe(0)
  })
})

describe('decisions about names, queries and schemas', () => {
  const list = (scim: ScimUnderTest, query: string) => scim.send({ path: `/Users?${query}` })

  test('a plus sign in a query that contains %20 is a plus sign (RFC 3986 §3.4)', async () => {
    const scim = await startScim()
    await create(scim, { userName: 'kim+tag@example.com' })

    expect(await list(scim, 'filter=userName%20eq%20%22kim+tag@example.com%22')).toMatchObject({
      body: { totalResults: 1 },
    })
    expect(await list(scim, 'filter=userName+eq+%22kim%2Btag@example.com%22')).toMatchObject({
      body: { totalResults: 1 },
    })
  })

  test('an empty parameter of a search means the same as none (RFC 7644 §3.4.2)', async () => {
    const scim = await startScim()
    await create(scim)

    expect(await list(scim, 'count=&startIndex=&sortBy=&sortOrder=&attributes=')).toMatchObject({
      status: 200,
      body: { totalResults: 1 },
    })
  })

  test('a name loses invisible characters and line breaks, and strict refuses them (RFC 8264 §9.13)', async () => {
    const general = await startScim({ toleranceProfile: 'general' })
    const strict = await startScim({ toleranceProfile: 'strict' })
    const body = { displayName: 'Kim\u202e\u200b\tLee', title: 'Head\nof IT' }

    expect((await create(general, body)).body).toMatchObject({ displayName: 'Kim Lee', title: 'Head of IT' })
    expect((await create(strict, body)).status).toBe(400)
    expect(strict.lastReason()).toBe('value_characters')
  })

  test('a replace of a selected value keeps the type that its filter states (RFC 7644 §3.5.2.3)', async () => {
    const scim = await startScim({ toleranceProfile: 'general' })
    const id = idOf(await create(scim, { addresses: [{ type: 'work', locality: 'Oslo', country: 'NO' }] }))

    const replaced = await patch(scim, id, {
      op: 'replace',
      path: 'addresses[ type eq "work" ]',
      value: { locality: 'Moss' },
    })

    expect(replaced.body?.['addresses']).toEqual([{ type: 'work', locality: 'Moss' }])
  })

  test('a body for another standard type is refused in every profile (RFC 7643 §3)', async () => {
    for (const toleranceProfile of ['oneLogin', 'all'] as const) {
      const scim = await startScim({ toleranceProfile })
      const reply = await create(scim, { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] })
      expect([reply.status, scim.lastReason()]).toEqual([400, 'schemas_missing'])
    }
  })

  test('a manager with an empty value is no manager, in every profile (RFC 7643 §2.5)', async () => {
    for (const toleranceProfile of ['strict', 'general'] as const) {
      const scim = await startScim({ toleranceProfile })
      expect((await create(scim, { [enterprise]: { manager: { value: '' } } })).body).not.toHaveProperty([enterprise])
    }
  })

  test('password is published and accepted only with the hook of the host', async () => {
    const scim = await startScim({ toleranceProfile: 'strict' })

    expect(JSON.stringify((await scim.send({ path: '/Schemas' })).body)).not.toContain('password')
    expect((await create(scim, { password: 'x' })).status).toBe(400)
    expect(scim.lastReason()).toBe('attribute_unknown')
  })
})

test('a provider without a secret authenticates with access tokens only, and all secrets can be revoked', async () => {
  const storage = createMemoryStorage({ issuer })
  const { secret, provider } = await registerIdentityProvider({ providerId: 'T9', secret: false }, { storage })
  await registerIdentityProvider({ providerId: 'T8' }, { storage })
  await revokeProviderSecrets('T8', { storage })

  expect([secret, provider.secrets]).toEqual([undefined, []])
  expect(await storage.identityProviders.find(providerId('T8'))).toMatchObject({ secrets: [] })
})
