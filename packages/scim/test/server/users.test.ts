import { userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

import type { ScimServerOptions } from '../../src/index.ts'
import { idOf, issuer, startScim } from '../fixtures/scim-under-test.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const alice = { schemas: [core], userName: 'alice@x', externalId: 'a1', active: true }
const patch = (...Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

test('creates a user and responds with 201 and the complete resource (RFC 7644 §3.3)', async () => {
  const scim = await startScim()

  const reply = await scim.send({ method: 'POST', path: '/users', body: alice })

  const { status, headers, body } = reply
  const id = idOf(reply)
  const location = `https://as.test/scim/v2/enterprise-idps/T1/Users/${id}`
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(location)
  expect(body).toEqual({
    ...alice,
    id,
    meta: {
      resourceType: 'User',
      created: '2026-09-21T14:13:20.000Z',
      lastModified: '2026-09-21T14:13:20.000Z',
      location,
      version: 'W/"1"',
    },
  })
  expect((await scim.storage.users.find(userId(id)))?.claims).toEqual({ preferred_username: 'alice@x' })
  expect(scim.events).toMatchObject([{ type: 'user.created', providerId: 'T1', userId: id }])
})

test('a PATCH with active false deactivates a user in one write that starts a new generation', async () => {
  const scim = await startScim()
  const created = await scim.send({ method: 'POST', path: '/Users', body: alice })
  const id = idOf(created)

  const off = await scim.send({
    method: 'PATCH',
    path: `/users/${id}`,
    body: patch({ op: 'replace', path: 'active', value: false }),
  })

  expect(off).toMatchObject({ status: 200, body: { active: false } })
  expect(await scim.storage.users.find(userId(id))).toMatchObject({ active: false, generation: 1, version: 2 })
  expect(scim.events.at(-1)).toMatchObject({
    type: 'user.deactivated',
    userId: id,
    revoked: { grants: [], sessionIds: [] },
  })
})

test('a removed user is 404, and its names can be reused (RFC 7644 §3.6)', async () => {
  const scim = await startScim()
  const created = await scim.send({ method: 'POST', path: '/Users', body: alice })
  const path = `/Users/${idOf(created)}`

  expect(await scim.send({ method: 'DELETE', path })).toMatchObject({ status: 204, body: undefined })
  expect(await scim.send({ method: 'DELETE', path })).toMatchObject({ status: 404, body: { status: '404' } })
  expect(await scim.send({ path })).toMatchObject({ status: 404 })
  expect(await scim.send({ method: 'POST', path: '/Users', body: alice })).toMatchObject({ status: 201 })
})

test('a retried POST returns the same user and does not reactivate it', async () => {
  const scim = await startScim()
  const first = await scim.send({ method: 'POST', path: '/Users', body: alice })
  const again = await scim.send({ method: 'POST', path: '/Users', body: alice })
  const path = `/Users/${idOf(first)}`
  await scim.send({ method: 'PATCH', path, body: patch({ op: 'replace', value: { active: false } }) })

  const late = await scim.send({ method: 'POST', path: '/Users', body: alice })

  expect(again).toEqual(first)
  expect(late).toMatchObject({ status: 201, body: { id: first.body?.['id'], active: false } })
})

test('creates a new user with one write and no read', async () => {
  const storage = createMemoryStorage({ issuer })
  const { provisionedUsers } = storage
  const asked: string[] = []
  const insert: typeof provisionedUsers.insert = async (user) => {
    asked.push('insert')
    return provisionedUsers.insert(user)
  }
  const findByExternalId: typeof provisionedUsers.findByExternalId = async (...key) => {
    asked.push('find')
    return provisionedUsers.findByExternalId(...key)
  }
  const scim = await startScim({
    storage: { ...storage, provisionedUsers: { ...provisionedUsers, insert, findByExternalId } },
  })

  await scim.send({ method: 'POST', path: '/Users', body: alice })
  expect(asked).toEqual(['insert'])

  await scim.send({ method: 'POST', path: '/Users', body: alice })
  expect(asked).toEqual(['insert', 'insert', 'find'])
})

test('calls the link hook for a new user, but not for an existing user', async () => {
  const candidates: unknown[] = []
  const link: NonNullable<ScimServerOptions['link']> = async ({ externalId }) => {
    candidates.push(externalId)
    return undefined
  }
  const scim = await startScim({ link })

  const first = await scim.send({ method: 'POST', path: '/Users', body: alice })
  const again = await scim.send({ method: 'POST', path: '/Users', body: alice })

  expect(again).toEqual(first)
  expect(candidates).toEqual(['a1'])
})

test.each([
  ['sends when it links the user', { phoneNumbers: [{ value: '+44 666' }] }, []],
  ['sends later', {}, [{ op: 'replace', path: 'phoneNumbers', value: [{ value: '+44 666' }] }]],
])(
  'a telephone number that a provider %s does not replace a number that the host has verified',
  async (_, members, operations) => {
    const link = async () => userId('local')
    const scim = await startScim({ link })
    const claims = { phone_number: '+44 1', phone_number_verified: true }
    await scim.storage.users.insert({ userId: userId('local'), claims, createdAt: scim.clock.now() })

    await scim.send({ method: 'POST', path: '/Users', body: { ...alice, ...members } })
    if (operations.length > 0) await scim.send({ method: 'PATCH', path: '/Users/local', body: patch(...operations) })

    expect((await scim.storage.users.find(userId('local')))?.claims).toMatchObject({
      phone_number: '+44 1',
      phone_number_verified: true,
    })
  },
)

test('a PATCH may repeat the id, but not change it', async () => {
  const scim = await startScim()
  const id = idOf(await scim.send({ method: 'POST', path: '/Users', body: alice }))
  const path = `/Users/${id}`

  const repeated = await scim.send({
    method: 'PATCH',
    path,
    body: patch({ op: 'replace', value: { id, title: 'Lead' } }),
  })
  const other = await scim.send({
    method: 'PATCH',
    path,
    body: patch({ op: 'replace', value: { id: 'x', title: 'Boss' } }),
  })

  expect(repeated).toMatchObject({ status: 200, body: { id, title: 'Lead', meta: { version: 'W/"2"' } } })
  expect(other).toMatchObject({ status: 400, body: { scimType: 'mutability' } })
  expect(scim.lastReason()).toBe('attribute_read_only')
  expect(await scim.send({ path })).toMatchObject({ body: { title: 'Lead', meta: { version: 'W/"2"' } } })
})
