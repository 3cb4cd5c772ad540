import { userId } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

import { idOf, issuer, startScim } from '../fixtures/scim-under-test.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const alice = { schemas: [core], userName: 'alice@x', externalId: 'a1', active: true }
const withPassword = { ...alice, password: 'new-secret' }
const patch = (value: object) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', value }],
})

async function startWithPasswords() {
  const given: string[] = []
  const fails = { now: false }
  let isProtected = false
  const database = createMemoryDatabase()
  const scim = await startScim({
    storage: createMemoryStorage({ issuer, database }),
    mayChange: async () => !isProtected,
    link: async () => ((await scim.storage.users.find(userId('local'))) === undefined ? undefined : userId('local')),
    password: async ({ password }) => {
      if (fails.now) throw new Error('The host is down.')
      given.push(password)
    },
  })
  return {
    ...scim,
    given,
    fails,
    protect: () => void (isProtected = true),
    post: (body: object) => scim.send({ method: 'POST', path: '/Users', body }),
    dump: () => JSON.stringify([...database.tablesOf(issuer).users.byId.values()]),
  }
}

test.each([
  ['PATCH', patch({ password: 'new-secret' })],
  ['PUT', withPassword],
])('refuses a %s that changes only the password of a protected user', async (method, body) => {
  const scim = await startWithPasswords()
  const id = idOf(await scim.post(alice))
  scim.protect()
  const before = scim.dump()

  const reply = await scim.send({ method, path: `/Users/${id}`, body })

  expect(reply).toMatchObject({ status: 403, body: { status: '403' } })
  expect(scim.lastReason()).toBe('change_refused')
  expect(scim.given).toEqual([])
  expect(scim.dump()).toBe(before)
})

test('a repeated POST does not change the password of a protected user', async () => {
  const scim = await startWithPasswords()
  await scim.post(alice)
  scim.protect()

  expect(await scim.post(withPassword)).toMatchObject({ status: 403 })
  expect(await scim.post(alice)).toMatchObject({ status: 201 })
  expect(scim.lastReason()).toBe('change_refused')
  expect(scim.given).toEqual([])
})

test('a POST that the host links to a protected user changes nothing', async () => {
  const scim = await startWithPasswords()
  await scim.storage.users.insert({
    userId: userId('local'),
    claims: { email: 'admin@host' },
    createdAt: scim.clock.now(),
  })
  scim.protect()
  const before = scim.dump()

  expect(await scim.post(withPassword)).toMatchObject({ status: 403 })

  expect(scim.lastReason()).toBe('change_refused')
  expect(scim.given).toEqual([])
  expect(scim.dump()).toBe(before)
})

test('a PATCH of only the password passes it to the host, and changes neither version nor date', async () => {
  const scim = await startWithPasswords()
  const created = await scim.post(alice)
  scim.clock.advance(5)

  const reply = await scim.send({
    method: 'PATCH',
    path: `/Users/${idOf(created)}`,
    body: patch({ password: 'new-secret' }),
  })

  expect(reply).toMatchObject({ status: 200, body: created.body })
  expect(scim.given).toEqual(['new-secret'])
})

test('a retried POST passes the password again (RFC 7644 §3.3)', async () => {
  const scim = await startWithPasswords()
  scim.fails.now = true
  expect(await scim.post(withPassword)).toMatchObject({ status: 500 })
  expect(scim.events).toMatchObject([
    { type: 'user.created' },
    { type: 'request.refused', reason: 'unexpected_failure' },
  ])
  scim.fails.now = false

  expect(await scim.post(withPassword)).toMatchObject({ status: 201 })

  expect(scim.given).toEqual(['new-secret'])
})

test('records a deactivation even when the password hook fails', async () => {
  const scim = await startWithPasswords()
  const id = idOf(await scim.post(alice))
  scim.fails.now = true

  expect(
    await scim.send({ method: 'PATCH', path: `/Users/${id}`, body: patch({ active: false, password: 'x' }) }),
  ).toMatchObject({ status: 500 })

  expect(scim.events.map(({ type }) => type)).toEqual(['user.created', 'user.deactivated', 'request.refused'])
  expect(await scim.storage.users.find(userId(id))).toMatchObject({ active: false, generation: 1 })
})

test('passes the password of a linked user to the host', async () => {
  const scim = await startWithPasswords()
  await scim.storage.users.insert({ userId: userId('local'), claims: {}, createdAt: scim.clock.now() })

  expect(await scim.post(withPassword)).toMatchObject({ status: 201, body: { id: 'local' } })

  expect(scim.given).toEqual(['new-secret'])
})
