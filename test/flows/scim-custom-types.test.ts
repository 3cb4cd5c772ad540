import {
  createScimServer,
  oktaEntitlementResourceType,
  oktaRoleResourceType,
  registerIdentityProvider,
} from '@mintmark/scim'
import { epochSeconds, type AdminStorage, type JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { aDevice, deviceType, warrantySchema } from '../../packages/scim/test/fixtures/custom-types.ts'
import { stores } from '../support/stores.ts'

const issuer = 'https://as.test'

test.for(stores)(
  'a directory writes, finds and removes resources of a custom type, on %s (RFC 7644 §3)',
  async ([, open]) => {
    const site = await start(await open())
    const kim = await site.create('/Users', aUser('kim'))
    const ids: string[] = []
    for (const index of [0, 1, 2, 3, 4]) {
      const owner = index < 2 ? { owner: { value: kim } } : {}
      const contract = { contract: `C-${index}` }
      const device = { serialNumber: `S-${index}`, rank: 5 - index, tags: [`t%_${index}`, 'é'], ...owner }
      ids.push(await site.create('/Devices', aDevice({ ...device, [warrantySchema.id]: contract })))
    }

    const filters = [
      ['serialNumber eq "s-3"', [3]],
      ['tags co "%_2" or rank eq 5', [0, 2]],
      [`${warrantySchema.id}:contract ge "C-3" and not (rank eq 1)`, [3]],
      [`owner.value eq "${kim}"`, [0, 1]],
      ['owner pr and meta.resourceType eq "Device"', [0, 1]],
      [`id eq "${ids[4]}"`, [4]],
    ] as const
    for (const [filter, expected] of filters) {
      const { body } = await site.send({ path: `/Devices?filter=${encodeURIComponent(filter)}` })
      expect(new Set(listedIn(body).map(({ id }) => id)), filter).toEqual(new Set(expected.map((index) => ids[index])))
    }
    const sorted = await site.send({ path: '/Devices?sortBy=rank&startIndex=2&count=2' })
    expect(sorted.body).toMatchObject({ totalResults: 5, Resources: [{ id: ids[3] }, { id: ids[2] }] })
    const seen: unknown[] = []
    let cursor: unknown = ''
    while (typeof cursor === 'string') {
      const { body } = await site.send({ path: `/Devices?count=2&cursor=${encodeURIComponent(cursor)}` })
      seen.push(...listedIn(body).map(({ id }) => id))
      cursor = body?.['nextCursor']
    }
    expect([seen.length, new Set(seen)]).toEqual([5, new Set(ids)])

    const removed = await Promise.all([1, 2, 3].map(() => site.send({ method: 'DELETE', path: `/Devices/${ids[0]}` })))
    expect(removed.map(({ status }) => status).filter((status) => status === 204)).toHaveLength(1)
    expect((await site.send({ path: '/Devices?count=0' })).body).toMatchObject({ totalResults: 4 })
  },
)

test.for(stores)('concurrent requests keep unique values and lose no change, on %s (RFC 7643 §7)', async ([, open]) => {
  const site = await start(await open())
  const device = aDevice({ serialNumber: 'S1', externalId: 'e1' })
  const post = (body: object, provider = 'T1') => site.send({ method: 'POST', path: '/Devices', provider, body })

  const created = await Promise.all(Array.from({ length: 8 }, () => post(device)))
  const statuses = created.map(({ status }) => status)
  expect([statuses.filter((status) => status === 201).length, new Set(statuses)]).toEqual([1, new Set([201, 409])])
  expect((await post(device, 'T2')).status).toBe(201)
  const winner = created.find(({ status }) => status === 201)
  const path = `/Devices/${winner?.body?.['id'] as string}`

  const tags = Array.from({ length: 10 }, (_, index) => `t${index}`)
  const patches = await Promise.all(
    tags.map((tag) => site.send({ method: 'PATCH', path, body: patchOf({ op: 'add', path: 'tags', value: [tag] }) })),
  )
  expect(patches.map(({ status }) => status)).toEqual(tags.map(() => 200))
  const { body } = await site.send({ path })
  expect(new Set(body?.['tags'] as readonly string[] | undefined)).toEqual(new Set(tags))

  const other = await site.create('/Devices', aDevice({ serialNumber: 'S2' }))
  const take = patchOf({ op: 'replace', path: 'serialNumber', value: 'S1' })
  expect((await site.send({ method: 'PATCH', path: `/Devices/${other}`, body: take })).status).toBe(409)
  await site.send({ method: 'DELETE', path })
  expect((await site.send({ method: 'PATCH', path: `/Devices/${other}`, body: take })).status).toBe(200)
})

test.for(stores)(
  'a provider cannot reach resources of another provider by any identifier or member, on %s (RFC 7644 §6)',
  async ([, open]) => {
    const site = await start(await open())
    const stranger = await site.create('/Users', aUser('stranger'), 'T2')
    const theirs = await site.create('/Devices', aDevice({ serialNumber: 'S1' }), 'T2')

    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      for (const id of [theirs, '__proto__', 'constructor', '..', `${theirs}%00`, 'x'.repeat(3000)]) {
        const body = method === 'PATCH' ? patchOf({ op: 'add', path: 'rank', value: 1 }) : aDevice()
        const reply = await site.send({ method, path: `/Devices/${id}`, ...(method === 'GET' ? {} : { body }) })
        expect([404, 405], `${method} ${id.slice(0, 20)}`).toContain(reply.status)
      }
    const related = [{ value: theirs, type: 'Device' }]
    for (const members of [{ owner: { value: stranger } }, { related }])
      expect((await site.send({ method: 'POST', path: '/Devices', body: aDevice(members) })).status).toBe(400)
    const named = JSON.parse('{"__proto__":{"rank":1},"constructor":{"rank":1},"displayName":"Own"}') as object
    const created = await site.create('/Devices', Object.assign(named, { schemas: [deviceType.schema.id] }))
    const { body } = await site.send({ path: `/Devices/${created}` })
    expect(Object.keys(body ?? {})).toEqual(['schemas', 'id', 'displayName', 'meta'])
    await site.send({ method: 'DELETE', path: `/Devices/${created}` })
    expect((await site.send({ path: '/Devices' })).body).toMatchObject({ totalResults: 0 })
    expect((await site.send({ path: `/Devices/${theirs}`, provider: 'T2' })).body).toMatchObject({ serialNumber: 'S1' })
  },
)

// The requests of Okta's guide "Build a SCIM 2.0 server with entitlements", and of its test suite for entitlements (seen 2026).
test.for(stores)('Okta discovers roles and entitlements, and grants them to a user, on %s', async ([, open]) => {
  const site = await start(await open())

  const types = await site.send({ path: '/ResourceTypes' })
  const offered = listedIn(types.body).filter(({ schema }) => (schema as string).startsWith('urn:okta:scim:'))
  expect(offered.map(({ id, endpoint, schema }) => [id, endpoint, schema])).toEqual([
    ['Role', '/Roles', 'urn:okta:scim:schemas:core:1.0:Role'],
    ['Entitlement', '/Entitlements', 'urn:okta:scim:schemas:core:1.0:Entitlement'],
  ])
  for (const { endpoint } of offered) {
    const { status, body } = await site.send({ path: `${endpoint as string}?count=1&startIndex=1` })
    expect([status, body?.['schemas']]).toEqual([200, ['urn:ietf:params:scim:api:messages:2.0:ListResponse']])
    expect(body).toMatchObject({ itemsPerPage: 1, startIndex: 1, totalResults: 2 })
    expect(listedIn(body)[0]).toMatchObject({
      id: expect.any(String) as unknown,
      displayName: expect.any(String) as unknown,
    })
  }
  expect(listedIn((await site.send({ path: '/Entitlements?startIndex=1&count=100' })).body)).toMatchObject([
    { id: 'export', type: 'Entitlement', schemas: ['urn:okta:scim:schemas:core:1.0:Entitlement'] },
    { id: 'import', type: 'Entitlement' },
  ])

  const granted = {
    roles: [{ value: 'admin', display: 'Administrator' }],
    entitlements: [{ value: 'export', type: 'Entitlement' }],
  }
  const id = await site.create('/Users', { ...aUser('kim'), ...granted })
  expect((await site.send({ path: `/Users/${id}` })).body).toMatchObject(granted)
  const patch = patchOf({ op: 'replace', path: 'roles', value: [{ value: 'viewer' }] })
  expect((await site.send({ method: 'PATCH', path: `/Users/${id}`, body: patch })).body).toMatchObject({
    roles: [{ value: 'viewer' }],
  })
  const filter = encodeURIComponent('roles.value eq "viewer"')
  expect((await site.send({ path: `/Users?filter=${filter}` })).body).toMatchObject({ totalResults: 1 })
})

const aUser = (userName: string) => ({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName })

const patchOf = (...Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

const listedIn = (body: JsonObject | undefined): readonly JsonObject[] =>
  (body?.['Resources'] ?? []) as readonly JsonObject[]

interface Sent {
  readonly method?: string
  readonly path: string
  readonly provider?: string
  readonly body?: object
}

async function start(storage: AdminStorage) {
  const clock = () => epochSeconds(1_790_000_000)
  const resourceTypes = [
    deviceType,
    {
      resourceType: oktaRoleResourceType,
      resources: [
        { id: 'viewer', displayName: 'Viewer' },
        { id: 'admin', displayName: 'Administrator' },
      ],
    },
    {
      resourceType: oktaEntitlementResourceType,
      resources: async () => [
        { id: 'import', displayName: 'Import data', type: 'Entitlement' },
        { id: 'export', displayName: 'Export data', type: 'Entitlement', description: 'As CSV' },
      ],
    },
  ]
  const server = createScimServer({ issuer, storage, clock, resourceTypes })
  const secrets = new Map<string, string>()
  for (const providerId of ['T1', 'T2'])
    secrets.set(providerId, (await registerIdentityProvider({ providerId }, { storage, clock })).secret)

  async function send({ method = 'GET', path, provider = 'T1', body }: Sent) {
    const response = await server.handle({
      method,
      url: new URL(`${issuer}/scim/v2/enterprise-idps/${provider}${path}`),
      headers: new Map([
        ['authorization', `Bearer ${secrets.get(provider)}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body)),
    })
    const text = typeof response.body === 'string' ? response.body : undefined
    return { status: response.status, body: text === undefined ? undefined : (JSON.parse(text) as JsonObject) }
  }

  return {
    send,
    /** Creates a resource. @returns its id. */
    async create(path: string, body: object, provider = 'T1'): Promise<string> {
      const reply = await send({ method: 'POST', path, provider, body })
      expect(reply.status, JSON.stringify(reply.body)).toBe(201)
      return reply.body?.['id'] as string
    },
  }
}
