import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, onTestFinished, test } from 'vitest'

import { createScimServer, defineResourceType, defineSchema, type ScimServerOptions } from '../../src/index.ts'
import { groupSchema, userSchema } from '../../src/engine.ts'
import { issuer, startScim } from '../fixtures/scim-under-test.ts'

const staff = defineSchema({
  id: 'urn:example:params:scim:schemas:extension:staff:2.0:User',
  name: 'Staff',
  attributes: [
    { name: 'badge', uniqueness: 'server' },
    { name: 'desk', indexed: true },
    { name: 'number', type: 'integer', uniqueness: 'server' },
    { name: 'keys', type: 'complex', multiValued: true, subAttributes: [{ name: 'value', uniqueness: 'server' }] },
    { name: 'locker', type: 'complex', subAttributes: [{ name: 'code', uniqueness: 'server' }] },
  ],
})
const userType = defineResourceType({ name: 'User', endpoint: '/Users', schema: userSchema, extensions: [staff] })

const memory = async () => createMemoryStorage({ issuer })
async function sqlite() {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  return createSqlStorage({ dialect, issuer, scanLimit: 5 })
}

/** As a host writes a storage: methods and getters belong to classes and use private fields, and objects are frozen. */
const classes = async () => ofClass(await memory())

function ofClass<Store extends object>(store: Store): Store {
  class HostStore {
    readonly #store = store
    static storeOf(of: HostStore): Store {
      return of.#store
    }
  }
  for (const name of Reflect.ownKeys(store))
    Object.defineProperty(HostStore.prototype, name, {
      get(this: HostStore): unknown {
        const value: unknown = Reflect.get(HostStore.storeOf(this), name)
        if (typeof value === 'object' && value !== null) return ofClass(value)
        if (typeof value !== 'function') return value
        return function (this: HostStore, ...given: readonly unknown[]): unknown {
          return Reflect.apply(value, HostStore.storeOf(this), given)
        }
      },
    })
  return Object.freeze(new HostStore()) as unknown as Store
}

describe.for([
  { name: 'memory', open: memory },
  { name: 'SQLite', open: sqlite },
  { name: 'classes of the host', open: classes },
])('attributes of the host on $name', ({ open }) => {
  test('rejects a second user with a value that must be unique (RFC 7643 §7)', async () => {
    const { create, scim } = await start()
    expect((await create('kim', { badge: 'A1' })).status).toBe(201)

    const second = await create('lou', { badge: 'a1' })
    expect([second.status, second.body?.['scimType']]).toEqual([409, 'uniqueness'])
    expect((await scim.send({ path: '/Users?count=0' })).body?.['totalResults']).toBe(1)

    expect((await create('lou', { badge: 'B1' })).status).toBe(201)
    const { body } = await scim.send({ path: '/Users?filter=userName eq "lou"' })
    const [lou] = (body?.['Resources'] ?? []) as readonly { readonly id: string }[]
    const changed = await scim.send({
      method: 'PATCH',
      path: `/Users/${String(lou?.id)}`,
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', path: `${staff.id}:badge`, value: 'A1' }],
      },
    })
    expect([changed.status, changed.body?.['scimType'], scim.lastReason()]).toEqual([409, 'uniqueness', 'value_taken'])
  })

  test('refuses a unique value that another user has, even if the provider has reached its limit of users (RFC 7643 §7)', async () => {
    const { create, scim } = await start({ limits: { users: 1 } })
    expect(
      (
        await create('kim', {
          badge: 'A1',
          number: 7,
          keys: [{ value: 'k1' }, { value: 'k2' }],
          locker: { code: 'L1' },
        })
      ).status,
    ).toBe(201)

    for (const own of [{ badge: 'a1' }, { number: 7 }, { keys: [{ value: 'K2' }] }, { locker: { code: 'l1' } }]) {
      const refused = await create('lou', own)
      expect([refused.status, refused.body?.['scimType'], scim.lastReason()]).toEqual([
        409,
        'uniqueness',
        'value_taken',
      ])
    }
    expect((await create('lou', { badge: 'B1', desk: 'D1' })).status).toBe(403)
    expect(scim.lastReason()).toBe('resources_too_many')
  })

  test('does not treat an empty string as a value that must be unique (RFC 7643 §2.5)', async () => {
    const { create, scim } = await start()
    expect((await create('kim', { badge: '' })).status).toBe(201)
    expect((await create('lou', { badge: '' })).status).toBe(201)

    const found = await scim.send({ path: `/Users?filter=${staff.id}:badge pr&count=0` })
    expect(found.body?.['totalResults']).toBe(0)
    expect((await create('mia', { badge: 'A1' })).status).toBe(201)
    expect((await create('ned', { badge: 'A1' })).status).toBe(409)
    expect(scim.lastReason()).toBe('value_taken')
    expect((await scim.send({ path: '/Users?count=0' })).body?.['totalResults']).toBe(3)
  })

  test('finds and sorts by an indexed attribute however many users there are (RFC 7644 §3.4.2)', async () => {
    const { create, scim } = await start()
    for (let desk = 0; desk < 12; desk += 1) await create(`user-${desk}`, { desk: `D${10 + desk}` })

    const found = await scim.send({ path: `/Users?filter=${staff.id}:desk eq "d15"` })
    expect([found.status, found.body?.['totalResults']]).toEqual([200, 1])
    const sorted = await scim.send({ path: `/Users?sortBy=${staff.id}:desk&sortOrder=descending&count=1` })
    expect(sorted.status).toBe(200)
    expect(JSON.stringify(sorted.body)).toContain('"desk":"D21"')
  })

  async function start(options: Pick<ScimServerOptions, 'limits'> = {}) {
    const scim = await startScim({ storage: await open(), userType, ...options })
    const create = (userName: string, own: object) =>
      scim.send({
        method: 'POST',
        path: '/Users',
        body: { schemas: [userSchema.id, staff.id], userName, [staff.id]: own },
      })
    return { scim, create }
  }
})

test.each([
  { name: 'photo', type: 'binary', uniqueness: 'server' },
  { name: 'remark', maxLength: 500, uniqueness: 'server' },
  { name: 'levels', type: 'integer', multiValued: true, uniqueness: 'server' },
] as const)('refuses to start when $name is unique, which its definition does not allow', (attribute) => {
  const schema = defineSchema({ id: 'urn:example:scim:own', name: 'Own', attributes: [attribute] })
  const type = defineResourceType({ name: 'User', endpoint: '/Users', schema: userSchema, extensions: [schema] })

  expect(() => createScimServer({ issuer, storage: createMemoryStorage({ issuer }), userType: type })).toThrow(
    TypeError,
  )
})

test.each([
  { name: 'code', uniqueness: 'server' },
  { name: 'code', uniqueness: 'global' },
  { name: 'code', indexed: true },
  { name: 'place', type: 'complex', subAttributes: [{ name: 'code', uniqueness: 'server' }] },
] as const)(
  'refuses to start when the group attribute $name, or a sub-attribute of it, is unique or indexed',
  (attribute) => {
    const schema = defineSchema({ id: 'urn:example:scim:team', name: 'Team', attributes: [attribute] })
    const type = defineResourceType({ name: 'Group', endpoint: '/Groups', schema: groupSchema, extensions: [schema] })

    expect(() => createScimServer({ issuer, storage: createMemoryStorage({ issuer }), groupType: type })).toThrow(
      'an attribute of groups can be neither indexed nor unique',
    )
  },
)

test('a storage is asked for no index when the host declares none', async () => {
  const storage = createMemoryStorage({ issuer })
  const indexAttributes = () => Promise.reject(new Error('No index is needed.'))
  const scim = await startScim({
    storage: { ...storage, provisionedUsers: { ...storage.provisionedUsers, indexAttributes } },
  })

  expect((await scim.send({ path: '/Users?filter=title pr' })).status).toBe(200)
})

test('records an event when a search reads more than half of the limit (RFC 7644 §3.12)', async () => {
  const scim = await startScim({ storage: await sqlite() })
  const types = () => scim.events.map(({ type }) => type)
  const search = () => scim.send({ path: '/Users?filter=title co "x"' })
  const create = (userName: string) =>
    scim.send({ method: 'POST', path: '/Users', body: { schemas: [userSchema.id], userName } })

  await create('a')
  expect((await search()).status).toBe(200)
  expect(types()).not.toContain('search.near_limit')
  await create('b')
  await create('c')
  expect((await search()).status).toBe(200)
  expect(types()).toContain('search.near_limit')
  for (const userName of ['d', 'e', 'f']) await create(userName)
  expect((await search()).body?.['scimType']).toBe('tooMany')
})
