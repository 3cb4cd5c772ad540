import { providerId, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { createScimServer, type ScimServerOptions } from '../../src/index.ts'
import { idOf, issuer, startScim, type ScimReply, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

interface Site extends ScimUnderTest {
  readonly users: readonly string[]
  deactivate(id?: string): Promise<ScimReply>
  remove(id?: string): Promise<ScimReply>
  /** Returns how many of the users are active. */
  countActive(): Promise<number>
}

/** Starts a server whose provider has users older than the minimum age. */
async function startWithUsers(size: number, options: Partial<ScimServerOptions>): Promise<Site> {
  const scim = await startScim(options)
  const users: string[] = []
  for (let index = 0; index < size; index += 1) {
    users.push(
      idOf(await scim.send({ method: 'POST', path: '/Users', body: { schemas: [core], userName: `user-${index}` } })),
    )
  }
  scim.clock.advance(3600)
  return {
    ...scim,
    users,
    deactivate: (id = '') =>
      scim.send({
        method: 'PATCH',
        path: `/Users/${id}`,
        body: { schemas: [patchOp], Operations: [{ op: 'replace', value: { active: false } }] },
      }),
    remove: (id = '') => scim.send({ method: 'DELETE', path: `/Users/${id}` }),
    countActive: async () => {
      const found = await Promise.all(users.map((id) => scim.storage.users.find(userId(id))))
      return found.filter((user) => user?.active === true).length
    },
  }
}

/** Creates more users, and returns their ids. */
async function createUsers(site: Site, size: number, name = 'new'): Promise<readonly string[]> {
  const created: string[] = []
  for (let index = 0; index < size; index += 1) {
    const body = { schemas: [core], userName: `${name}-${index}` }
    created.push(idOf(await site.send({ method: 'POST', path: '/Users', body })))
  }
  return created
}

const suspended = { status: 403, body: { status: '403', detail: expect.stringContaining('Too many users') as string } }

it('suspends deprovisioning beyond the limit, and refuses further deprovisioning', async () => {
  const site = await startWithUsers(6, { deprovisioningLimit: { users: 3 } })
  const [a, b, c, d, e] = site.users

  const allowed = [await site.deactivate(a), await site.remove(b), await site.deactivate(c)]
  const refused = [await site.deactivate(d), await site.remove(e)]

  expect(allowed.map(({ status }) => status)).toEqual([200, 204, 200])
  expect(refused).toMatchObject([suspended, suspended])
  expect(site.lastReason()).toBe('deprovisioning_suspended')
  expect(await site.countActive()).toBe(3)
  expect(site.events.filter(({ type }) => type === 'deprovisioning.suspended')).toMatchObject([
    { providerId: 'T1', count: 3 },
  ])
  expect((await site.storage.identityProviders.find(providerId('T1')))?.deprovisioning).toEqual({
    windowStartedAt: site.clock.now(),
    count: 3,
    cohorts: undefined,
    suspendedAt: site.clock.now(),
  })
})

it('a suspension affects neither other requests nor other providers, and does not expire', async () => {
  const site = await startWithUsers(3, { deprovisioningLimit: { users: 1 } })
  const [a, b] = site.users
  await site.deactivate(a)
  await site.deactivate(b)
  site.clock.advance(1_000_000)

  const rename = { schemas: [patchOp], Operations: [{ op: 'replace', path: 'displayName', value: 'Bea' }] }
  expect(await site.send({ method: 'PATCH', path: `/Users/${b}`, body: rename })).toMatchObject({ status: 200 })
  expect(await site.send({ method: 'POST', path: '/Users', body: { schemas: [core], userName: 'new' } })).toMatchObject(
    { status: 201 },
  )
  expect(await site.send({ path: '/Users', provider: 'T2' })).toMatchObject({ status: 200 })
  expect(await site.deactivate(b)).toMatchObject(suspended)
})

it('starts a new count when the window has ended', async () => {
  const site = await startWithUsers(4, { deprovisioningLimit: { users: 2, window: 600 } })
  const [a, b, c] = site.users
  await site.deactivate(a)
  await site.deactivate(b)
  site.clock.advance(600)

  expect(await site.deactivate(c)).toMatchObject({ status: 200 })
})

it('law: concurrent deprovisioning on several servers never exceeds the limit', async () => {
  const storage = createMemoryStorage({ issuer })
  const site = await startWithUsers(30, { storage, deprovisioningLimit: { users: 10 } })
  const other = startOther(site, storage)

  const replies = await Promise.all(site.users.map((id, index) => (index % 2 === 0 ? site.deactivate(id) : other(id))))

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(await site.countActive()).toBe(20)
  expect(site.events.filter(({ type }) => type === 'deprovisioning.suspended').length).toBeLessThanOrEqual(1)
})

it('limits deprovisioning to a share of the active users, and always allows the first five', async () => {
  const site = await startWithUsers(40, { deprovisioningLimit: { percent: 20 } })

  const replies = []
  for (const id of site.users.slice(0, 10)) replies.push((await site.deactivate(id)).status)

  expect(replies).toEqual([...Array<number>(8).fill(200), 403, 403])
})

it.each([
  ['deactivated in order of creation', (users: readonly string[]) => users],
  ['deactivated in reverse order', (users: readonly string[]) => users.toReversed()],
])(
  'users who are created later at most double the limit for older users, even after a long time: %s',
  async (_, order) => {
    const site = await startWithUsers(100, { deprovisioningLimit: { percent: 20 } })
    await createUsers(site, 450)
    site.clock.advance(90 * 86_400)

    for (const id of order(site.users)) await site.deactivate(id)

    // Five are always allowed, and then at most a fifth of the oldest 128.
    expect(await site.countActive()).toBeGreaterThanOrEqual(100 - 5 - 25)
    expect(site.lastReason()).toBe('deprovisioning_suspended')
  },
)

it.each([0, 6])(
  'counts new users who are removed again among all users, after %i older users were deactivated',
  async (deactivated) => {
    const site = await startWithUsers(100, { deprovisioningLimit: { percent: 20 } })
    for (const id of site.users.slice(0, deactivated)) await site.deactivate(id)
    const created = await createUsers(site, 32)
    site.clock.advance(660)

    const statuses = []
    for (const id of created.slice(0, 26 - deactivated)) statuses.push((await site.remove(id)).status)

    expect(new Set(statuses)).toEqual(new Set([204]))
    expect(await site.remove(created[26 - deactivated])).toMatchObject(suspended)
    expect(await site.countActive()).toBe(100 - deactivated)
  },
)

it.each([
  ['before the provider deactivates any', 0],
  ['after the provider has deactivated some', 6],
])('users who are created within the window do not raise the limit for older users: %s', async (_, deactivated) => {
  const site = await startWithUsers(64, { deprovisioningLimit: { percent: 20 } })
  // Not among the oldest 64.
  const later = await createUsers(site, 36, 'later')
  site.clock.advance(3600)
  for (const id of site.users.slice(0, deactivated)) await site.deactivate(id)
  await createUsers(site, 400)
  site.clock.advance(660)

  const statuses = []
  for (const id of later) statuses.push((await site.deactivate(id)).status)

  const allowed = 20 - deactivated
  expect(statuses).toEqual([...Array<number>(allowed).fill(200), ...Array<number>(36 - allowed).fill(403)])
  expect(site.lastReason()).toBe('deprovisioning_suspended')
})

it('limits a provider whose users are all new', async () => {
  const site = await startWithUsers(0, { deprovisioningLimit: { percent: 20 } })
  const created = await createUsers(site, 50)
  site.clock.advance(660)

  const statuses = []
  for (const id of created) statuses.push((await site.deactivate(id)).status)

  expect(statuses).toEqual([...Array<number>(10).fill(200), ...Array<number>(40).fill(403)])
})

it('allows ordinary deprovisioning after many users were created', async () => {
  const site = await startWithUsers(20, { deprovisioningLimit: { percent: 20 } })
  const created = await createUsers(site, 480)
  site.clock.advance(3600)
  const leaving = [...site.users, ...created].filter((_, index) => index % 20 === 0)

  const statuses = []
  for (const id of leaving) statuses.push((await site.deactivate(id)).status)

  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(leaving).toHaveLength(25)
})

it('applies an absolute limit above five when no percentage is set', async () => {
  const site = await startWithUsers(8, { deprovisioningLimit: { users: 6 } })

  const replies = []
  for (const id of site.users) replies.push((await site.deactivate(id)).status)

  expect(replies).toEqual([...Array<number>(6).fill(200), 403, 403])
})

it('counts a user who is ten minutes old', async () => {
  const site = await startWithUsers(1, { deprovisioningLimit: { users: 0 } })
  const created = await site.send({ method: 'POST', path: '/Users', body: { schemas: [core], userName: 'new' } })
  site.clock.advance(600)

  expect(await site.deactivate(idOf(created))).toMatchObject(suspended)
})

it('does not count a user who is created and removed at once to test a connection', async () => {
  const site = await startWithUsers(2, { deprovisioningLimit: { users: 1 } })

  for (let attempt = 0; attempt < 5; attempt += 1) {
    const id = idOf(
      await site.send({ method: 'POST', path: '/Users', body: { schemas: [core], userName: `trial-${attempt}` } }),
    )
    expect(await site.deactivate(id)).toMatchObject({ status: 200 })
    expect(await site.remove(id)).toMatchObject({ status: 204 })
  }

  expect((await site.storage.identityProviders.find(providerId('T1')))?.deprovisioning).toBeUndefined()
  expect(await site.deactivate(site.users[0])).toMatchObject({ status: 200 })
})

it('does not count a user who is already inactive, and allows the removal of this user', async () => {
  const site = await startWithUsers(3, { deprovisioningLimit: { users: 1 } })
  const [a] = site.users
  await site.deactivate(a)

  expect(await site.deactivate(a)).toMatchObject({ status: 200 })
  expect(await site.remove(a)).toMatchObject({ status: 204 })
})

it('counts a user whom a POST links and deactivates', async () => {
  const storage = createMemoryStorage({ issuer })
  const site = await startWithUsers(0, { storage, deprovisioningLimit: { users: 0 }, link: async () => userId('own') })
  await storage.users.insert({ userId: userId('own'), claims: {}, createdAt: site.clock.now() })
  site.clock.advance(3600)

  const reply = await site.send({
    method: 'POST',
    path: '/Users',
    body: { schemas: [core], userName: 'own', active: false },
  })

  expect(reply).toMatchObject(suspended)
  expect(await storage.users.find(userId('own'))).toMatchObject({ active: true, version: 1 })
})

it('reports each authenticated request of a provider once, without its query, body or secret', async () => {
  const answered: unknown[] = []
  const scim = await startScim({ onRequest: (request) => void answered.push(request) })

  await scim.send({ path: '/Users?filter=userName%20eq%20%22ann%22' })
  await scim.send({ method: 'POST', path: '/Users', body: { schemas: [core], password: 'hunter2' } })
  await scim.send({ path: '/Nothing' })
  await scim.send({ path: '/Users', authorization: 'Bearer wrong' })

  const [path, at] = ['/scim/v2/enterprise-idps/T1', scim.clock.now()]
  const own = { at, providerId: 'T1', clientId: undefined }
  expect(answered).toEqual([
    { ...own, method: 'GET', path: `${path}/Users`, status: 200, reason: undefined, attribute: undefined },
    { ...own, method: 'POST', path: `${path}/Users`, status: 400, reason: 'value_required', attribute: 'userName' },
    { ...own, method: 'GET', path: `${path}/Nothing`, status: 404, reason: 'path_not_found', attribute: undefined },
  ])
})

it('a request succeeds even if the request log fails', async () => {
  const scim = await startScim({ onRequest: () => Promise.reject(new Error('full')) })

  expect(await scim.send({ path: '/Users' })).toMatchObject({ status: 200 })
})

/** Starts a second server with the same storage, and returns a function that deactivates a user through this server. */
function startOther(site: Site, storage: ReturnType<typeof createMemoryStorage>): (id: string) => Promise<ScimReply> {
  const server = createScimServer({
    issuer,
    storage,
    clock: () => site.clock.now(),
    deprovisioningLimit: { users: 10 },
  })
  return async (id) => {
    const response = await server.handle({
      method: 'PATCH',
      url: new URL(`${issuer}/scim/v2/enterprise-idps/T1/Users/${id}`),
      headers: new Map([
        ['authorization', `Bearer ${site.secrets['T1']}`],
        ['content-type', 'application/scim+json'],
      ]),
      repeatedHeaders: new Set(),
      host: undefined,
      body: new TextEncoder().encode(
        JSON.stringify({ schemas: [patchOp], Operations: [{ op: 'replace', value: { active: false } }] }),
      ),
    })
    return { status: response.status, headers: new Map(), body: undefined }
  }
}
