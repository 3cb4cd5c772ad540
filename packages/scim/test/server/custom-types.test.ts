import type { JsonObject } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, test } from 'vitest'

import {
  defineResourceType,
  defineSchema,
  oktaRoleResourceType,
  type ScimRefusalReason,
  type ScimServerOptions,
} from '../../src/index.ts'
import { aDevice, deviceSchema, deviceType, roles, warrantySchema } from '../fixtures/custom-types.ts'
import { patchOp } from '../fixtures/directory-under-test.ts'
import { idOf, issuer, startScim, type ScimReply, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

const cabinetSchema = defineSchema({
  id: 'urn:example:params:scim:schemas:extension:cabinet:2.0:Rack',
  name: 'Cabinet',
  attributes: [{ name: 'place', type: 'complex', subAttributes: [{ name: 'shelf', uniqueness: 'server' }] }],
})

/** A type whose unique values are in sub-attributes. */
const rackType = defineResourceType({
  name: 'Rack',
  endpoint: '/Racks',
  schema: defineSchema({
    id: 'urn:example:params:scim:schemas:core:2.0:Rack',
    name: 'Rack',
    attributes: [
      { name: 'network', type: 'complex', subAttributes: [{ name: 'address', uniqueness: 'server' }] },
      { name: 'ports', type: 'complex', multiValued: true, subAttributes: [{ name: 'name', uniqueness: 'server' }] },
    ],
  }),
  extensions: [cabinetSchema],
})

interface Site extends ScimUnderTest {
  /** Returns everything in storage as a string. */
  dump(): string
  create(members?: object, provider?: string): Promise<string>
  patch(id: string, ...operations: readonly object[]): Promise<ScimReply>
}

async function start(options: Partial<ScimServerOptions> = {}): Promise<Site> {
  const database = createMemoryDatabase()
  const storage = createMemoryStorage({ issuer, database })
  const resourceTypes = [deviceType, { resourceType: oktaRoleResourceType, resources: roles }]
  const scim = await startScim({ storage, resourceTypes, ...options })
  // The server records the first use of a secret. After these requests, reads change nothing in storage.
  for (const provider of ['T1', 'T2']) await scim.send({ path: '/Devices', provider })
  return {
    ...scim,
    dump: () => JSON.stringify(database.tablesOf(issuer), sortCollections, 1),
    create: async (members, provider = 'T1') =>
      idOf(await scim.send({ method: 'POST', path: '/Devices', provider, body: aDevice(members) })),
    patch: (id, ...operations) =>
      scim.send({ method: 'PATCH', path: `/Devices/${id}`, body: { schemas: [patchOp], Operations: operations } }),
  }
}

function sortCollections(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].toSorted(([left], [right]) => (String(left) < String(right) ? -1 : 1))
  return value instanceof Set ? [...value].map(String).toSorted() : value
}

/** Expects that a request is refused for the reason and writes nothing. */
async function expectRefusal(
  site: Site,
  [status, scimType, reason]: readonly [number, string | undefined, ScimRefusalReason],
  send: () => Promise<ScimReply>,
): Promise<void> {
  const before = site.dump()
  const reply = await send()
  expect([reply.status, reply.body?.['scimType'], site.lastReason()]).toEqual([status, scimType, reason])
  expect(site.dump()).toBe(before)
}

/** Returns the resources in a list response. */
const listedIn = ({ body }: Pick<ScimReply, 'body'>): readonly JsonObject[] =>
  (body?.['Resources'] ?? []) as readonly JsonObject[]

const metaOf = (resource: JsonObject | undefined) => resource?.['meta'] as JsonObject | undefined

const createUser = async (site: Site, provider: string, userName = 'kim'): Promise<string> =>
  idOf(
    await site.send({
      method: 'POST',
      path: '/Users',
      provider,
      body: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName },
    }),
  )

describe('a stored type', () => {
  test('creates and reads a resource, with an event (RFC 7644 §3.3, §3.4.1)', async () => {
    const site = await start()
    const body = aDevice({ externalId: 'd-1', serialNumber: 'S1', [warrantySchema.id]: { contract: 'C1' } })

    const created = await site.send({ method: 'POST', path: '/Devices', body })

    const id = idOf(created)
    const location = `${issuer}/scim/v2/enterprise-idps/T1/Devices/${id}`
    expect(created.status).toBe(201)
    expect([created.headers.get('location'), created.headers.get('etag')]).toEqual([location, 'W/"1"'])
    expect(created.body).toEqual({
      ...body,
      schemas: [deviceSchema.id, warrantySchema.id],
      id,
      meta: {
        resourceType: 'Device',
        created: '2026-09-21T14:13:20.000Z',
        lastModified: '2026-09-21T14:13:20.000Z',
        location,
        version: 'W/"1"',
      },
    })
    const read = await site.send({ path: `/devices/${id}` })
    expect([read.status, read.body]).toEqual([200, created.body])
    expect(site.events).toContainEqual(
      expect.objectContaining({ type: 'resource.created', providerId: 'T1', resourceType: 'Device', resourceId: id }),
    )
    const unchanged = await site.send({ path: `/Devices/${id}`, headers: { 'if-none-match': 'W/"1"' } })
    expect(unchanged.status).toBe(304)
  })

  test('PUT clears omitted attributes and keeps immutable ones (RFC 7644 §3.5.1)', async () => {
    const site = await start()
    const id = await site.create({ model: 'X1', rank: 3, tags: ['a'] })

    const replaced = await site.send({
      method: 'PUT',
      path: `/Devices/${id}`,
      body: aDevice({ displayName: 'Tablet' }),
    })

    expect(replaced.body).toMatchObject({ id, displayName: 'Tablet', model: 'X1', meta: { version: 'W/"2"' } })
    expect(replaced.body).not.toHaveProperty('tags')
    expect(site.events.at(-1)).toMatchObject({ type: 'resource.changed', resourceId: id })
    const events = site.events.length
    const again = await site.send({ method: 'PUT', path: `/Devices/${id}`, body: aDevice({ displayName: 'Tablet' }) })
    expect([again.body, site.events.length]).toEqual([replaced.body, events])
    await expectRefusal(site, [400, 'mutability', 'attribute_immutable'], () =>
      site.send({ method: 'PUT', path: `/Devices/${id}`, body: aDevice({ model: 'X2' }) }),
    )
  })

  test('PATCH applies all operations or none (RFC 7644 §3.5.2)', async () => {
    const site = await start()
    const id = await site.create({ ports: [{ value: 'usb', type: 'a' }], rank: 1 })

    const patched = await site.patch(
      id,
      { op: 'add', path: 'tags', value: ['x', 'y'] },
      { op: 'replace', path: 'ports[type eq "a"].value', value: 'hdmi' },
      { op: 'remove', path: 'rank' },
      { op: 'add', path: `${warrantySchema.id}:contract`, value: 'C9' },
    )

    expect(patched.status).toBe(200)
    expect(patched.body).toMatchObject({
      tags: ['x', 'y'],
      ports: [{ value: 'hdmi', type: 'a' }],
      [warrantySchema.id]: { contract: 'C9' },
    })
    expect(patched.body).not.toHaveProperty('rank')
    await expectRefusal(site, [400, 'invalidPath', 'path_unknown'], () =>
      site.patch(id, { op: 'remove', path: 'tags' }, { op: 'add', path: 'nothing', value: 1 }),
    )
    await expectRefusal(site, [400, 'mutability', 'attribute_read_only'], () =>
      site.patch(id, { op: 'add', path: 'status', value: 'broken' }),
    )
    await expectRefusal(site, [400, 'mutability', 'attribute_required'], () =>
      site.patch(id, { op: 'remove', path: 'displayName' }),
    )
  })

  test('DELETE removes a resource once (RFC 7644 §3.6)', async () => {
    const site = await start()
    const id = await site.create()

    const [first, second] = await Promise.all([1, 2].map(() => site.send({ method: 'DELETE', path: `/Devices/${id}` })))

    expect(new Set([first?.status, second?.status])).toEqual(new Set([204, 404]))
    expect((await site.send({ path: `/Devices/${id}` })).status).toBe(404)
    expect(site.events.filter(({ type }) => type === 'resource.removed')).toHaveLength(1)
  })

  test.each(['PUT', 'PATCH', 'DELETE'])('%s requires the version of If-Match (RFC 7644 §3.14)', async (method) => {
    const site = await start()
    const id = await site.create()
    const body =
      method === 'PATCH'
        ? { schemas: [patchOp], Operations: [{ op: 'replace', path: 'rank', value: 2 }] }
        : aDevice({ rank: 2 })
    const send = (tag: string) => site.send({ method, path: `/Devices/${id}`, headers: { 'if-match': tag }, body })

    await expectRefusal(site, [412, undefined, 'version_mismatch'], () => send('W/"2"'))
    expect((await send('W/"1"')).status).toBe(method === 'DELETE' ? 204 : 200)
  })

  test('loses no concurrent PATCH', async () => {
    const site = await start()
    const id = await site.create()

    const tags = Array.from({ length: 12 }, (_, index) => `t${index}`)
    await Promise.all(tags.map((tag) => site.patch(id, { op: 'add', path: 'tags', value: [tag] })))

    const { body } = await site.send({ path: `/Devices/${id}` })
    expect(new Set(body?.['tags'] as readonly string[] | undefined)).toEqual(new Set(tags))
  })

  test('enforces uniqueness within the type and the provider (RFC 7643 §7)', async () => {
    const site = await start()
    const first = await site.create({ externalId: 'd-1', serialNumber: 'S1', [warrantySchema.id]: { contract: 'C1' } })
    const second = await site.create({ serialNumber: 'S2' })
    const clashes = [
      [{ serialNumber: 's1' }, 'value_taken'],
      [{ [warrantySchema.id]: { contract: 'C1' } }, 'value_taken'],
      [{ externalId: 'd-1' }, 'external_id_taken'],
    ] as const
    for (const [members, reason] of clashes) {
      await expectRefusal(site, [409, 'uniqueness', reason], () =>
        site.send({ method: 'POST', path: '/Devices', body: aDevice(members) }),
      )
      await expectRefusal(site, [409, 'uniqueness', reason], () =>
        site.send({ method: 'PUT', path: `/Devices/${second}`, body: aDevice(members) }),
      )
    }
    await site.create({ [warrantySchema.id]: { contract: 'c1' } })
    await site.create({ externalId: 'd-1', serialNumber: 'S1' }, 'T2')
    expect((await site.patch(first, { op: 'remove', path: 'serialNumber' })).status).toBe(200)
    await site.create({ serialNumber: 'S1' })
  })

  test.each([
    ['of a complex attribute', { network: { address: 'AA:01' } }],
    ['of a value of a complex attribute', { ports: [{ name: 'a' }, { name: 'b' }] }],
    ['of an attribute of an extension', { [cabinetSchema.id]: { place: { shelf: '7' } } }],
  ])('enforces uniqueness of a sub-attribute: %s (RFC 7643 §7)', async (_, members) => {
    const site = await start({
      resourceTypes: [deviceType, { resourceType: oktaRoleResourceType, resources: roles }, rackType],
    })
    const body = { schemas: [rackType.schema.id], ...members }
    const post = (provider = 'T1') => site.send({ method: 'POST', path: '/Racks', provider, body })
    expect((await post()).status).toBe(201)

    await expectRefusal(site, [409, 'uniqueness', 'value_taken'], () => post())
    expect((await post('T2')).status).toBe(201)
  })

  test('refuses a resource that is larger than the limit (RFC 9110 §15.5.14)', async () => {
    const site = await start({ limits: { resourceBytes: 300 } })
    const id = await site.create()
    const tags = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(30))

    await expectRefusal(site, [413, undefined, 'resource_too_large'], () =>
      site.send({ method: 'POST', path: '/Devices', body: aDevice({ tags }) }),
    )
    await expectRefusal(site, [413, undefined, 'resource_too_large'], () =>
      site.patch(id, { op: 'add', path: 'tags', value: tags }),
    )
  })

  test('never shows an attribute with returned never, and shows one with returned request only on request (RFC 7643 §7)', async () => {
    const site = await start()
    const id = await site.create({ pin: '1234', note: 'n', rank: 1 })
    const shown = async (query: string) => (await site.send({ path: `/Devices/${id}?${query}` })).body

    expect(await shown('')).toMatchObject({ rank: 1 })
    expect(Object.keys((await shown('')) ?? {}).filter((name) => name === 'pin' || name === 'note')).toEqual([])
    expect(await shown('attributes=note,pin')).toEqual({ schemas: [deviceSchema.id], id, note: 'n' })
    expect(await shown('excludedAttributes=rank,meta')).toEqual({
      schemas: [deviceSchema.id],
      id,
      displayName: 'Laptop',
    })
    await expectRefusal(site, [400, 'invalidFilter', 'filter_attribute_secret'], () =>
      site.send({ path: '/Devices?filter=pin%20eq%20%221234%22' }),
    )
  })

  test.each([
    ['displayName eq "LAPTOP 1"', ['e1']],
    ['rank gt 1 and rank le 3', ['e2', 'e3']],
    ['tags co "t"', ['e0', 'e1', 'e2', 'e3']],
    ['ports[type eq "a" and value eq "p2"]', ['e2']],
    ['externalId eq "e3"', ['e3']],
    ['issuedAt lt "2026-01-02T00:00:00Z"', ['e0', 'e1']],
    [`${warrantySchema.id}:contract eq "C1"`, ['e1']],
    ['not (rank pr)', []],
    ['meta.resourceType eq "Device" and rank eq 0', ['e0']],
    ['schemas eq "urn:example:params:scim:schemas:extension:warranty:2.0:Device"', ['e0', 'e1', 'e2', 'e3']],
  ])('filters by %s (RFC 7644 §3.4.2.2)', async (filter, expected) => {
    const site = await start()
    for (const index of [0, 1, 2, 3]) {
      // Lists are ordered by the time of creation.
      site.clock.advance(1)
      await site.create({
        externalId: `e${index}`,
        displayName: `Laptop ${index}`,
        rank: index,
        tags: [`t${index}`],
        ports: [{ value: `p${index}`, type: 'a' }],
        issuedAt: `2026-01-0${index + 1}T00:00:00+0${index}:00`,
        [warrantySchema.id]: { contract: `C${index}` },
      })
    }
    const externalIdsOf = (reply: ScimReply) => listedIn(reply).map(({ externalId }) => externalId)

    const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest']
    const query = await site.send({ path: `/Devices?filter=${encodeURIComponent(filter)}` })
    const typed = await site.send({ method: 'POST', path: '/Devices/.search', body: { schemas, filter } })
    const root = await site.send({ method: 'POST', path: '/.search', body: { schemas, filter } })

    expect(externalIdsOf(query)).toEqual(expected)
    expect(externalIdsOf(typed)).toEqual(expected)
    if (!filter.startsWith('not')) expect(externalIdsOf(root)).toEqual(expected)
  })

  test('sorts and pages by index and by cursor (RFC 7644 §3.4.2, RFC 9865 §2)', async () => {
    const site = await start()
    for (const rank of [3, 1, 2]) await site.create({ rank })
    const ranks = (reply: ScimReply) => listedIn(reply).map(({ rank }) => rank)

    expect(ranks(await site.send({ path: '/Devices?sortBy=rank' }))).toEqual([1, 2, 3])
    expect(ranks(await site.send({ path: '/Devices?sortBy=rank&sortOrder=descending&count=2' }))).toEqual([3, 2])
    const second = await site.send({ path: '/Devices?sortBy=rank&startIndex=2&count=1' })
    expect(second.body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1, Resources: [{ rank: 2 }] })
    const seen: unknown[] = []
    let cursor: unknown = ''
    while (typeof cursor === 'string') {
      const page = await site.send({ path: `/Devices?count=2&sortBy=rank&cursor=${encodeURIComponent(cursor)}` })
      seen.push(...ranks(page))
      cursor = page.body?.['nextCursor']
    }
    expect(seen).toEqual([1, 2, 3])
  })

  test('refuses a page by index with too many bytes, and shortens a page by cursor (RFC 7644 §3.4.2.4)', async () => {
    const site = await start({ pageLimits: { bytes: 100 } })
    for (const rank of [1, 2, 3]) await site.create({ rank, tags: ['x'.repeat(80)] })
    for (const [path, total] of [
      ['/Devices', 3],
      ['/Roles', 2],
    ] as const) {
      await expectRefusal(site, [400, 'tooMany', 'page_too_large'], () => site.send({ path }))
      let found = 0
      let cursor: unknown = ''
      while (typeof cursor === 'string') {
        const page = await site.send({ path: `${path}?cursor=${encodeURIComponent(cursor)}` })
        expect(listedIn(page)).toHaveLength(1)
        found += 1
        cursor = page.body?.['nextCursor']
      }
      expect(found).toBe(total)
    }
  })

  test('a provider cannot read, find, change or remove the resources of another provider (RFC 7644 §6)', async () => {
    const site = await start()
    const id = await site.create({ serialNumber: 'S1' })
    const operations = [{ op: 'replace', path: 'rank', value: 1 }]
    const requests = [
      { method: 'GET', body: undefined },
      { method: 'PUT', body: aDevice() },
      { method: 'PATCH', body: { schemas: [patchOp], Operations: operations } },
      { method: 'DELETE', body: undefined },
    ]
    for (const { method, body } of requests)
      await expectRefusal(site, [404, undefined, 'resource_not_found'], () =>
        site.send({ method, path: `/Devices/${id}`, provider: 'T2', ...(body && { body }) }),
      )
    for (const path of [
      '/Devices',
      '/Devices?filter=serialNumber%20eq%20%22S1%22',
      `/Devices?filter=id%20eq%20%22${id}%22`,
    ])
      expect((await site.send({ path, provider: 'T2' })).body).toMatchObject({ totalResults: 0 })
    for (const path of [`/Users/${id}`, `/Groups/${id}`, `/Roles/${id}`])
      expect((await site.send({ path })).status).toBe(404)
  })
})

describe('references', () => {
  test('the server computes $ref, even if several types are possible, and ignores the $ref in a request (RFC 7643 §2.4)', async () => {
    const site = await start()
    const kim = await createUser(site, 'T1')
    const first = await site.create()
    const base = `${issuer}/scim/v2/enterprise-idps/T1`
    const related = [
      { value: kim, type: 'User', $ref: 'https://evil.example/' },
      { value: first, type: 'device' },
      { value: 'admin', type: 'Role' },
    ]

    const id = await site.create({ owner: { value: kim }, related })

    const { body } = await site.send({ path: `/Devices/${id}` })
    expect(body?.['owner']).toEqual({ value: kim, $ref: `${base}/Users/${kim}` })
    expect(body?.['related']).toEqual([
      { value: kim, type: 'User', $ref: `${base}/Users/${kim}` },
      { value: first, type: 'device', $ref: `${base}/Devices/${first}` },
      { value: 'admin', type: 'Role', $ref: `${base}/Roles/admin` },
    ])
    const again = await site.send({ method: 'PUT', path: `/Devices/${id}`, body: { ...body, meta: undefined } })
    expect(again.body?.['meta']).toMatchObject({ version: 'W/"1"' })
    expect(site.dump()).not.toContain('evil.example')
    const found = await site.send({ path: `/Devices?filter=owner.value%20eq%20%22${kim}%22` })
    expect(found.body).toMatchObject({ totalResults: 1 })
  })

  test('refuses a reference to a resource that the provider does not have, such as a user of another provider (RFC 7643 §2.3.7)', async () => {
    const site = await start()
    const stranger = await createUser(site, 'T2')
    const id = await site.create()
    const wrong = [
      { owner: { value: stranger } },
      { owner: { value: 'nobody' } },
      { related: [{ value: stranger, type: 'User' }] },
      { related: [{ value: 'nothing', type: 'Role' }] },
      { related: [{ value: id, type: 'Group' }] },
      { related: Array.from({ length: 300 }, (_, index) => ({ value: `user-${index}`, type: 'User' })) },
    ]
    for (const members of wrong) {
      await expectRefusal(site, [400, 'invalidValue', 'reference_unknown'], () =>
        site.send({ method: 'POST', path: '/Devices', body: aDevice(members) }),
      )
      await expectRefusal(site, [400, 'invalidValue', 'reference_unknown'], () =>
        site.send({ method: 'PUT', path: `/Devices/${id}`, body: aDevice(members) }),
      )
    }
    for (const members of [
      { related: [{ value: id }] },
      { related: [{ value: id, type: 'Car' }] },
      { related: [{ type: 'User' }] },
    ])
      await expectRefusal(site, [400, 'invalidValue', 'value_required'], () =>
        site.send({ method: 'POST', path: '/Devices', body: aDevice(members) }),
      )
  })

  test.each([
    ['GET', '?filter=related.%24ref%20co%20%22Users%22', undefined],
    ['GET', '?filter=related%5B%24ref%20pr%5D', undefined],
    ['GET', '?filter=owner.%24ref%20pr', undefined],
    ['PATCH', '', { schemas: [patchOp], Operations: [{ op: 'remove', path: 'related[$ref co "Users"]' }] }],
  ])(
    'refuses to select by a $ref, which is computed and matches nothing in storage: %s %s',
    async (method, query, body) => {
      const site = await start()
      const kim = await createUser(site, 'T1')
      const id = await site.create({ owner: { value: kim }, related: [{ value: kim, type: 'User' }] })
      const path = method === 'GET' ? `/Devices${query}` : `/Devices/${id}`

      await expectRefusal(site, [400, 'invalidFilter', 'filter_attribute_unsearchable'], () =>
        site.send({ method, path, ...(body && { body }) }),
      )
    },
  )

  test('names the reference that it refuses, among many', async () => {
    const site = await start()
    const known = await Promise.all(Array.from({ length: 6 }, () => site.create()))
    const related = [...known.slice(0, 4), 'nothing', ...known.slice(4)].map((value) => ({ value, type: 'Device' }))

    const { body } = await site.send({ method: 'POST', path: '/Devices', body: aDevice({ related }) })

    expect(body?.['detail']).toBe(
      'The resource refers to a resource that this identity provider does not have. Received: nothing.',
    )
  })

  test('a reference to a removed user does not block later changes', async () => {
    const site = await start()
    const kim = await createUser(site, 'T1')
    const id = await site.create({ owner: { value: kim } })
    await site.send({ method: 'DELETE', path: `/Users/${kim}` })

    const patched = await site.patch(id, { op: 'replace', path: 'rank', value: 7 })

    expect([patched.status, patched.body?.['rank']]).toEqual([200, 7])
    await expectRefusal(site, [400, 'invalidValue', 'reference_unknown'], () =>
      site.send({ method: 'POST', path: '/Devices', body: aDevice({ owner: { value: kim } }) }),
    )
  })
})

describe('Bulk', () => {
  test('writes custom resources that refer to each other and to users by bulkId (RFC 7644 §3.7.2)', async () => {
    const site = await start()
    const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'kim' }
    const Operations = [
      {
        method: 'POST',
        path: '/Devices',
        bulkId: 'b',
        data: aDevice({ related: [{ value: 'bulkId:a', type: 'Device' }] }),
      },
      { method: 'POST', path: '/devices', bulkId: 'a', data: aDevice({ owner: { value: 'bulkId:u' } }) },
      { method: 'POST', path: '/Users', bulkId: 'u', data: user },
      { method: 'PATCH', path: '/Devices/bulkId:a', data: [{ op: 'add', path: 'rank', value: 1 }] },
      {
        method: 'POST',
        path: '/Roles',
        bulkId: 'r',
        data: { schemas: [oktaRoleResourceType.schema.id], displayName: 'x' },
      },
      { method: 'DELETE', path: '/Roles/admin' },
      { method: 'POST', path: '/Devices', bulkId: 'c', data: {} },
    ]

    const reply = await site.send({
      method: 'POST',
      path: '/Bulk',
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], Operations },
    })

    const results = reply.body?.['Operations'] as readonly JsonObject[]
    expect(results.map(({ status }) => status)).toEqual(['201', '201', '201', '200', '400', '400', '400'])
    const { body } = await site.send({ path: '/Devices?filter=rank%20eq%201' })
    const [device] = listedIn({ body })
    expect(device?.['owner']).toEqual({ value: expect.any(String) as unknown, $ref: results[2]?.['location'] })
  })
})

describe('supplied resources', () => {
  test('are listed and read, without created and lastModified unless the host supplies them (RFC 7643 §3.1)', async () => {
    const site = await start()
    const base = `${issuer}/scim/v2/enterprise-idps/T1/Roles`

    const list = await site.send({ path: '/Roles?count=1&startIndex=1' })

    const [admin] = listedIn(list)
    const version = /^W\/"\w+"$/
    expect(list.body).toMatchObject({ totalResults: 2, itemsPerPage: 1, startIndex: 1 })
    expect(admin).toEqual({
      schemas: [oktaRoleResourceType.schema.id],
      id: 'admin',
      externalId: 'r-1',
      displayName: 'Administrator',
      meta: {
        resourceType: 'Role',
        created: '2026-01-02T03:04:05Z',
        location: `${base}/admin`,
        version: expect.stringMatching(version) as unknown,
      },
    })
    const read = await site.send({ path: '/roles/admin' })
    expect([read.body, read.headers.get('etag')]).toEqual([admin, metaOf(admin)?.['version']])
    const etag = read.headers.get('etag') ?? ''
    expect((await site.send({ path: '/Roles/admin', headers: { 'if-none-match': etag } })).status).toBe(304)
    const { body } = await site.send({ path: '/Roles/viewer?attributes=displayName' })
    expect(body).toEqual({ schemas: [oktaRoleResourceType.schema.id], id: 'viewer', displayName: 'Viewer' })
    await expectRefusal(site, [404, undefined, 'resource_not_found'], () => site.send({ path: '/Roles/owner' }))
  })

  test.each([
    ['displayName eq "administrator"', ['admin']],
    ['description pr', ['viewer']],
    ['id eq "viewer" or externalId eq "r-1"', ['admin', 'viewer']],
    ['meta.created gt "2026-01-01T00:00:00Z"', ['admin']],
    ['userName eq "x"', 'filter_attribute_unknown'],
  ])('have the result for the filter %s: %j (RFC 7644 §3.4.2.2)', async (filter, expected) => {
    const site = await start()

    const reply = await site.send({ path: `/Roles?filter=${encodeURIComponent(filter)}` })

    if (typeof expected === 'string') expect([reply.status, site.lastReason()]).toEqual([400, expected])
    else expect(listedIn(reply).map(({ id }) => id)).toEqual(expected)
  })

  test('are sorted, and paged by cursor (RFC 9865 §2)', async () => {
    const site = await start()

    const sorted = await site.send({ path: '/Roles?sortBy=displayName&sortOrder=descending' })
    expect(sorted.body).toMatchObject({ Resources: [{ id: 'viewer' }, { id: 'admin' }] })
    const first = await site.send({ path: '/Roles?count=1&cursor=' })
    const next = encodeURIComponent(first.body?.['nextCursor'] as string)
    const second = await site.send({ path: `/Roles?count=1&cursor=${next}` })
    expect([first.body, second.body]).toMatchObject([
      { Resources: [{ id: 'admin' }] },
      { Resources: [{ id: 'viewer' }] },
    ])
    expect(second.body).not.toHaveProperty('nextCursor')
  })

  test('cannot be written (RFC 9110 §15.5.6)', async () => {
    const site = await start()
    const body = { schemas: [oktaRoleResourceType.schema.id], displayName: 'Root' }
    for (const [method, path] of [
      ['POST', '/Roles'],
      ['PUT', '/Roles/admin'],
      ['PATCH', '/Roles/admin'],
      ['DELETE', '/Roles/admin'],
    ] as const)
      await expectRefusal(site, [405, undefined, 'method_not_allowed'], () => site.send({ method, path, body }))
  })

  test('may depend on the provider', async () => {
    const resources = async ({ providerId }: { readonly providerId: string }) => [
      { id: `role-of-${providerId}`, displayName: 'Role' },
    ]
    const scim = await startScim({ resourceTypes: [{ resourceType: oktaRoleResourceType, resources }] })

    for (const provider of ['T1', 'T2']) {
      const list = await scim.send({ path: '/Roles', provider })
      expect(list.body).toMatchObject({ totalResults: 1, Resources: [{ id: `role-of-${provider}` }] })
    }
    expect((await scim.send({ path: '/Roles/role-of-T2' })).status).toBe(404)
  })

  test('cause a server error if the list is malformed or the function of the host fails (RFC 9110 §15.6)', async () => {
    const lists = [
      [{ id: 'a' }],
      [{ id: '', displayName: 'a' }],
      [{ id: 'bulkId:a', displayName: 'a' }],
      [
        { id: 'a', displayName: 'a' },
        { id: 'a', displayName: 'b' },
      ],
      [{ id: 'a', displayName: 7 }],
      [{ id: 'a', displayName: 'a', unknown: 1 }],
      [{ id: 'a', displayName: 'a', meta: { created: 'yesterday' } }],
      Array.from({ length: 10_001 }, (_, index) => ({ id: `${index}`, displayName: 'a' })),
    ]
    for (const list of lists) {
      const scim = await startScim({ resourceTypes: [{ resourceType: oktaRoleResourceType, resources: () => list }] })
      const reply = await scim.send({ path: '/Roles' })
      expect([reply.status, scim.lastReason()]).toEqual([500, 'unexpected_failure'])
      expect(scim.events.at(-1)).toMatchObject({ cause: expect.any(TypeError) as unknown })
      const resourceTypes = [{ resourceType: oktaRoleResourceType, resources: list }]
      await expect(startScim({ resourceTypes })).rejects.toThrow(TypeError)
    }
    const failing = () => Promise.reject(new Error('database'))
    const scim = await startScim({ resourceTypes: [{ resourceType: oktaRoleResourceType, resources: failing }] })
    expect((await scim.send({ path: '/Roles' })).status).toBe(500)
    expect((await scim.send({ path: '/Users' })).status).toBe(200)
  })
})

describe('discovery', () => {
  test('publishes custom types and their schemas, and the attributes of supplied resources as read-only (RFC 7644 §4)', async () => {
    const site = await start()

    const types = await site.send({ path: '/ResourceTypes' })
    const role = await site.send({ path: `/Schemas/${oktaRoleResourceType.schema.id}` })
    const device = await site.send({ path: `/Schemas/${deviceSchema.id}` })

    const names = listedIn(types).map(({ id, endpoint }) => [id, endpoint])
    expect(names).toEqual([
      ['User', '/Users'],
      ['Group', '/Groups'],
      ['Device', '/Devices'],
      ['Role', '/Roles'],
    ])
    const mutabilities = ({ body }: ScimReply) =>
      new Set(((body?.['attributes'] ?? []) as readonly JsonObject[]).map(({ mutability }) => mutability))
    expect(mutabilities(role)).toEqual(new Set(['readOnly']))
    expect(mutabilities(device)).toEqual(new Set(['readWrite', 'immutable', 'readOnly']))
    const read = await site.send({ path: '/ResourceTypes/device' })
    expect(read.body).toMatchObject({
      schema: deviceSchema.id,
      schemaExtensions: [{ schema: warrantySchema.id, required: false }],
    })
  })

  test('a server without custom types has none of their endpoints (RFC 7644 §3.12)', async () => {
    const scim = await startScim()

    for (const path of ['/Devices', '/Roles', '/Entitlements', '/constructor', '/__proto__', '/toString'])
      expect((await scim.send({ path })).status).toBe(404)
  })

  test('the root search finds resources of all types, page by page (RFC 7644 §3.4.3)', async () => {
    const site = await start()
    await createUser(site, 'T1')
    await site.create()
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest']
    const found: unknown[] = []
    for (let startIndex = 1; startIndex <= 4; startIndex += 1) {
      const { body } = await site.send({ method: 'POST', path: '/.search', body: { schemas, startIndex, count: 1 } })
      expect(body).toMatchObject({ totalResults: 4 })
      found.push(listedIn({ body }).map(({ meta }) => (meta as JsonObject)['resourceType']))
    }
    expect(found.flat()).toEqual(['User', 'Role', 'Role', 'Device'])
  })

  test('the root search fills each page by cursor with the next type, and leaves out no resource (RFC 9865 §2)', async () => {
    const site = await start()
    for (const userName of ['kim', 'lou', 'max']) await createUser(site, 'T1', userName)
    await site.create()
    const search = (cursor: unknown, count: number) =>
      site.send({
        method: 'POST',
        path: '/.search',
        body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], cursor, count },
      })
    const pages: unknown[] = []
    let cursor: unknown = ''
    while (cursor !== undefined) {
      const page = await search(cursor, 2)
      pages.push(listedIn(page).map((resource) => metaOf(resource)?.['resourceType']))
      cursor = page.body?.['nextCursor']
    }

    expect(pages).toEqual([
      ['User', 'User'],
      ['User', 'Role'],
      ['Role', 'Device'],
    ])
    expect((await search('', 0)).body).not.toHaveProperty('nextCursor')
  })
})

test('responds with 400 tooMany if storage refuses to evaluate a list of a stored type (RFC 7644 §3.4.2)', async () => {
  const storage = createMemoryStorage({ issuer })
  const tooMany = () => Promise.resolve({ outcome: 'tooMany' } as const)
  const { customResources } = storage
  if (customResources === undefined) throw new TypeError('Memory storage has no custom resources.')
  const site = await start({ storage: { ...storage, customResources: { ...customResources, list: tooMany } } })

  expect(await site.send({ path: '/Devices' })).toMatchObject({ status: 400, body: { scimType: 'tooMany' } })
})
