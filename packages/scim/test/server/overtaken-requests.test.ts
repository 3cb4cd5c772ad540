import { providerId, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, test } from 'vitest'

import { createScimServer, oktaRoleResourceType, type ScimServerOptions } from '../../src/index.ts'
import { userSchema } from '../../src/engine.ts'
import { aDevice, deviceType, roles } from '../fixtures/custom-types.ts'
import { overtake } from '../fixtures/overtake.ts'
import { idOf, issuer, startScim, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

// Between the read and the write of a request, another server of the same database processes a request.

const aUser = { schemas: [userSchema.id], userName: 'kim', externalId: 'k1' }
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

type OvertakenMethod = 'adopt' | 'compareAndSwap' | 'remove' | 'release'

/** Starts two servers. Right before the first one calls the method for the first time, `rival` uses the other one. */
async function startOvertaken(
  method: OvertakenMethod,
  rival: (other: ScimUnderTest) => Promise<unknown>,
  options: Partial<ScimServerOptions> = {},
): Promise<{ readonly scim: Pick<ScimUnderTest, 'send'>; readonly other: ScimUnderTest }> {
  const storage = createMemoryStorage({ issuer })
  const other = await startScim({ storage, ...options })
  const provisionedUsers = overtake(storage.provisionedUsers, method, () => rival(other))
  return { scim: other.startAnother({ storage: { ...storage, provisionedUsers } }), other }
}

const provision = (scim: Pick<ScimUnderTest, 'send'>, body: object = aUser) =>
  scim.send({ method: 'POST', path: '/Users', body })

const patch = (scim: Pick<ScimUnderTest, 'send'>, id: string, value: object) =>
  scim.send({
    method: 'PATCH',
    path: `/Users/${id}`,
    body: { schemas: [patchOp], Operations: [{ op: 'replace', value }] },
  })

describe('a DELETE', () => {
  test('removes a user who was changed meanwhile (RFC 7644 §3.6)', async () => {
    const { scim, other } = await startOvertaken('remove', (rival) => patch(rival, id, { title: 'Dr.' }))
    const id = idOf(await provision(other))

    expect(await scim.send({ method: 'DELETE', path: `/Users/${id}` })).toMatchObject({ status: 204 })
    expect(await other.send({ path: `/Users/${id}` })).toMatchObject({ status: 404 })
    expect(await other.storage.users.find(userId(id))).toBeUndefined()
  })

  test('responds with 404 when the user was removed meanwhile, and records no second removal (RFC 7644 §3.6)', async () => {
    const { scim, other } = await startOvertaken('remove', (rival) =>
      rival.send({ method: 'DELETE', path: `/Users/${id}` }),
    )
    const id = idOf(await provision(other))

    expect(await scim.send({ method: 'DELETE', path: `/Users/${id}` })).toMatchObject({ status: 404 })
    expect(other.lastReason()).toBe('resource_not_found')
    expect(other.events.filter(({ type }) => type === 'user.removed')).toHaveLength(1)
  })

  test('counts once towards the deprovisioning limit, even if its write is repeated (RFC 7644 §3.6)', async () => {
    const { scim, other } = await startOvertaken('remove', (rival) => patch(rival, id, { title: 'Dr.' }), {
      deprovisioningLimit: { users: 3 },
    })
    const id = idOf(await provision(other))
    other.clock.advance(3600)

    expect(await scim.send({ method: 'DELETE', path: `/Users/${id}` })).toMatchObject({ status: 204 })
    expect((await other.storage.identityProviders.find(providerId('T1')))?.deprovisioning?.count).toBe(1)
  })
})

describe('a PATCH', () => {
  test('responds with 404 when the user was removed meanwhile (RFC 7644 §3.12)', async () => {
    const { scim, other } = await startOvertaken('compareAndSwap', (rival) =>
      rival.send({ method: 'DELETE', path: `/Users/${id}` }),
    )
    const id = idOf(await provision(other))

    expect(await patch(scim, id, { title: 'Dr.' })).toMatchObject({ status: 404 })
    expect(other.lastReason()).toBe('resource_not_found')
  })

  test('does not change the identifiers of a user whom the host has blocked meanwhile (RFC 7644 §3.12)', async () => {
    const { scim, other } = await startOvertaken('compareAndSwap', ({ storage, clock }) =>
      storage.users.deactivate(userId(id), clock.now()),
    )
    const id = idOf(await provision(other))

    expect(await patch(scim, id, { userName: 'new', externalId: 'new' })).toMatchObject({ status: 403 })

    expect(other.lastReason()).toBe('change_refused')
    expect(await other.send({ path: `/Users/${id}` })).toMatchObject({ body: { ...aUser, active: false } })
  })
})

describe('a POST that links a user of the host', () => {
  const id = userId('u-local')
  const link = async () => id

  test('links the user and keeps the claims that the host has written meanwhile (RFC 7644 §3.3)', async () => {
    const { scim, other } = await startOvertaken(
      'adopt',
      async ({ storage, clock }) => {
        const user = await storage.users.find(id)
        const claims = { note: 'new' }
        await storage.users.replaceClaims({ userId: id, version: user?.version ?? 0, claims, now: clock.now() })
      },
      { link },
    )
    await other.storage.users.insert({ userId: id, claims: { note: 'old' }, createdAt: other.clock.now() })

    expect(await provision(scim)).toMatchObject({ status: 201, body: { id } })
    expect(await other.storage.users.find(id)).toMatchObject({ claims: { note: 'new' } })
  })

  test('returns the user whom the same request to another server has linked meanwhile (RFC 7644 §3.3)', async () => {
    const { scim, other } = await startOvertaken('adopt', (rival) => provision(rival), { link })
    await other.storage.users.insert({ userId: id, claims: {}, createdAt: other.clock.now() })

    expect(await provision(scim)).toMatchObject({ status: 201, body: { id } })
    expect(other.events.filter(({ type }) => type === 'user.linked')).toHaveLength(1)
  })

  test('responds with 404 when another externalId was linked meanwhile (RFC 7644 §3.12)', async () => {
    const { scim, other } = await startOvertaken(
      'adopt',
      (rival) => provision(rival, { ...aUser, userName: 'other', externalId: 'k2' }),
      { link },
    )
    await other.storage.users.insert({ userId: id, claims: {}, createdAt: other.clock.now() })

    expect(await provision(scim)).toMatchObject({ status: 404 })
    expect(other.lastReason()).toBe('resource_not_found')
  })
})

test('a repeated POST creates the user again if the user was removed meanwhile (RFC 7644 §3.3)', async () => {
  const { scim, other } = await startOvertaken('compareAndSwap', (rival) =>
    rival.send({ method: 'DELETE', path: `/Users/${id}` }),
  )
  const id = idOf(await provision(other))

  const again = await provision(scim, { ...aUser, title: 'Dr.' })

  expect([again.status, idOf(again) === id]).toEqual([201, false])
})

test('a sign-in does not change the userName of a user whom the host has blocked meanwhile', async () => {
  const storage = createMemoryStorage({ issuer })
  const other = await startScim({ storage })
  const id = idOf(await provision(other))
  const provisionedUsers = overtake(storage.provisionedUsers, 'compareAndSwap', () =>
    storage.users.deactivate(userId(id), other.clock.now()),
  )
  const server = createScimServer({ issuer, storage: { ...storage, provisionedUsers }, clock: () => other.clock.now() })

  const signedIn = await server.signInFromProvider({ providerId: 'T1', externalId: 'k1', profile: { userName: 'new' } })

  expect(signedIn).toEqual({ outcome: 'deactivated', userId: id })
  expect(await other.send({ path: `/Users/${id}` })).toMatchObject({ body: { ...aUser, active: false } })
})

test('a sign-in is refused when the provider has removed the user meanwhile', async () => {
  const storage = createMemoryStorage({ issuer })
  const other = await startScim({ storage })
  const id = idOf(await provision(other))
  const provisionedUsers = overtake(storage.provisionedUsers, 'compareAndSwap', () =>
    other.send({ method: 'DELETE', path: `/Users/${id}` }),
  )
  const server = createScimServer({ issuer, storage: { ...storage, provisionedUsers }, clock: () => other.clock.now() })

  const signedIn = await server.signInFromProvider({
    providerId: 'T1',
    externalId: 'k1',
    profile: { userName: 'kim', title: 'Dr.' },
  })

  expect(signedIn).toEqual({ outcome: 'removed' })
  expect(await storage.users.find(userId(id))).toBeUndefined()
})

describe('a DELETE of a resource of a custom type', () => {
  /** Starts a server with a device. Right before it removes the device, `rival` uses another server. */
  async function startWithDevice(rival: (other: ScimUnderTest, path: string) => Promise<unknown>) {
    const storage = createMemoryStorage({ issuer })
    const resourceTypes = [deviceType, { resourceType: oktaRoleResourceType, resources: roles }]
    const other = await startScim({ storage, resourceTypes })
    const path = `/Devices/${idOf(await other.send({ method: 'POST', path: '/Devices', body: aDevice() }))}`
    if (storage.customResources === undefined) throw new TypeError('Memory storage has no custom resources.')
    const customResources = overtake(storage.customResources, 'remove', () => rival(other, path))
    return { scim: other.startAnother({ storage: { ...storage, customResources } }), other, path }
  }

  test('removes a resource that was changed meanwhile (RFC 7644 §3.6)', async () => {
    const { scim, other, path } = await startWithDevice((rival, path) =>
      rival.send({ method: 'PUT', path, body: aDevice({ rank: 2 }) }),
    )

    expect(await scim.send({ method: 'DELETE', path })).toMatchObject({ status: 204 })
    expect(await other.send({ path })).toMatchObject({ status: 404 })
  })

  test('responds with 404 when the resource was removed meanwhile, and records no second removal (RFC 7644 §3.6)', async () => {
    const { scim, other, path } = await startWithDevice((rival, path) => rival.send({ method: 'DELETE', path }))

    expect(await scim.send({ method: 'DELETE', path })).toMatchObject({ status: 404 })
    expect(other.lastReason()).toBe('resource_not_found')
    expect(other.events.filter(({ type }) => type === 'resource.removed')).toHaveLength(1)
  })
})
