import { clientId, userId } from '@mintmark/storage-interface'
import { aClientRecord, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'
import { z } from 'zod'

import { issuer, signIn, startAdmin } from './admin-under-test.ts'

it('an upsert creates and replaces users by the identifiers of the host, and reports which of them changed', async () => {
  const { admin, storage } = startAdmin()
  await admin.users.create({ userId: '7', claims: { name: 'Old', email: 'old@x.test' } })
  const users = [
    { userId: '7', claims: { name: 'New' } },
    { userId: '8', claims: { name: 'Kim' }, active: false },
  ]

  const first = await admin.users.upsert(users)
  const second = await admin.users.upsert(users)

  expect(first).toEqual([
    { userId: '7', outcome: 'updated' },
    { userId: '8', outcome: 'created' },
  ])
  expect(second.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged'])
  expect(await storage.users.find(userId('7'))).toMatchObject({ claims: { name: 'New' }, active: true, version: 2 })
  expect((await storage.users.find(userId('7')))?.claims).toEqual({ name: 'New' })
  expect(await storage.users.find(userId('8'))).toMatchObject({ active: false })
})

it('an upsert refuses users of providers, taken identifiers and invalid claims individually, and writes the others', async () => {
  const system = startAdmin()
  const { admin, storage } = system
  await storage.provisionedUsers.insert(aProvisionedUser('p'))
  await storage.clients.insert(aClientRecord({ clientId: clientId('app') }))
  await admin.users.create({ userId: 'gone' })
  await admin.users.remove('gone')
  const bad = [{ userId: 'user-p' }, { userId: 'app' }, { userId: 'gone' }, { userId: 'a b' }]
  const before = system.dump()

  const refused = await admin.users.upsert([...bad, { userId: 'x', claims: { iss: 'me' } }])
  expect(system.dump()).toBe(before)
  const mixed = await admin.users.upsert([...bad, { userId: 'ok' }])

  expect(refused).toEqual([
    { userId: 'user-p', outcome: 'refused', reason: 'user_provisioned' },
    { userId: 'app', outcome: 'refused', reason: 'identifier_taken' },
    { userId: 'gone', outcome: 'refused', reason: 'identifier_taken' },
    { userId: 'a b', outcome: 'refused', reason: 'identifier_invalid' },
    { userId: 'x', outcome: 'refused', reason: 'claim_reserved' },
  ])
  expect(mixed.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused', 'refused', 'created'])
})

it('an upsert with active false deactivates the user, and active true does not lift the block', async () => {
  const system = startAdmin()
  const { admin, storage } = system
  await admin.users.create({ userId: 'ann' })
  await signIn(system, 'ann')

  const off = await admin.users.upsert([{ userId: 'ann', active: false }])
  const blocked = await storage.users.find(userId('ann'))
  const on = await admin.users.upsert([{ userId: 'ann', active: true }])

  expect([off, on].flat().map(({ outcome }) => outcome)).toEqual(['updated', 'unchanged'])
  expect(blocked).toMatchObject({ active: false, generation: 1 })
  expect(await storage.users.find(userId('ann'))).toEqual(blocked)
})

it('a dry run says what an upsert would do and writes nothing', async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'ann', claims: { name: 'Ann' } })
  await system.admin.users.create({ userId: 'bob' })
  const users = [
    { userId: 'ann', claims: { name: 'Anna' } },
    { userId: 'bob', active: false },
    { userId: 'cy' },
    { userId: '?' },
  ]
  const before = system.dump()
  const events = system.events.length

  const results = await system.admin.users.upsert(users, { dryRun: true })

  expect(system.dump()).toBe(before)
  expect(system.events).toHaveLength(events)
  expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'updated', 'created', 'refused'])
  expect(await system.admin.users.upsert(users)).toEqual(results)
})

it('an upsert cannot take the administration from the last administrator', async () => {
  const system = startAdmin({
    lastAdministrators: { administrators: 'claims.nickname eq "root" and not (provider pr)' },
  })
  const { admin } = system
  await admin.users.create({ userId: 'root', claims: { nickname: 'root' } })
  const before = system.dump()

  const claims = await admin.users.upsert([{ userId: 'root', claims: {} }])
  const block = await admin.users.upsert([{ userId: 'root', claims: { nickname: 'root' }, active: false }])

  const refusal = { userId: 'root', outcome: 'refused', reason: 'last_administrator' }
  expect([claims, block]).toEqual([[refusal], [refusal]])
  expect(system.dump()).toBe(before)
})

it('an upsert refuses the last administrator as a user of a provider if a provider owns them', async () => {
  const { admin, storage } = startAdmin({
    customFields: [{ name: 'role', claim: 'role', schema: z.string() }],
    lastAdministrators: { administrators: 'claims.role eq "admin"' },
  })
  await storage.provisionedUsers.insert(aProvisionedUser('p'))
  await admin.users.update({ userId: 'user-p' }, { customFields: { role: 'admin' } })

  expect(await admin.users.upsert([{ userId: 'user-p' }])).toEqual([
    { userId: 'user-p', outcome: 'refused', reason: 'user_provisioned' },
  ])
})

it('an upsert writes users one by one only if they would no longer be administrators', async () => {
  const counted = withCounts()
  const administrators = 'claims.nickname eq "root" and not (provider pr)'
  const { admin } = startAdmin({ storage: counted.storage, lastAdministrators: { administrators } })
  await admin.users.upsert(['root1', 'root2'].map((id) => ({ userId: id, claims: { nickname: 'root' } })))
  await admin.users.upsert([{ userId: 'ann' }, { userId: 'bob' }])
  counted.written.length = 0

  await admin.users.upsert([
    { userId: 'ann', claims: { name: 'Ann' } },
    { userId: 'root1', claims: {} },
    { userId: 'bob', claims: { name: 'Bob' } },
  ])

  expect(counted.written).toEqual([['root1'], ['ann', 'bob']])
})

it('an upsert reads no users one by one if the service has no protected administrators', async () => {
  const counted = withCounts()
  const { admin } = startAdmin({ storage: counted.storage })
  await admin.users.upsert([{ userId: 'ann' }, { userId: 'bob' }])

  await admin.users.upsert([{ userId: 'ann', claims: { name: 'Ann' } }, { userId: 'bob' }])

  expect(counted.read).toEqual([])
})

it('a batch of an upsert has at most 500 users', async () => {
  const counted = withCounts()
  const { admin } = startAdmin({ storage: counted.storage })

  await admin.users.upsert(Array.from({ length: 501 }, (_, index) => ({ userId: `u${index}` })))

  expect(counted.written.map((users) => users.length)).toEqual([500, 1])
})

it('each batch of an upsert has two log entries, which contain identifiers and no values', async () => {
  const system = startAdmin()

  await system.admin.users.upsert([
    { userId: 'a', claims: { email: 'a@x.test' } },
    { userId: 'a', claims: { email: 'b@x.test' } },
    { userId: 'b' },
  ])

  const entries = (await system.admin.audit.list()).items
  expect(entries.map(({ type, detail }) => [type, detail['stage'], detail['after']])).toEqual([
    ['user.upserted', 'done', { created: ['b'], updated: ['a'], unchanged: 0, refused: [] }],
    ['user.upserted', 'intended', undefined],
    ['user.upserted', 'done', { created: ['a'], updated: [], unchanged: 0, refused: [] }],
    ['user.upserted', 'intended', undefined],
  ])
  expect(JSON.stringify(entries)).not.toContain('x.test')
})

/** A storage that records which users are read one by one, and which are written together. */
function withCounts() {
  const storage = createMemoryStorage({ issuer })
  const read: string[] = []
  const written: (readonly string[])[] = []
  const users: typeof storage.users = {
    ...storage.users,
    find: (id) => {
      read.push(id)
      return storage.users.find(id)
    },
    upsert: (batch) => {
      written.push(batch.users.map(({ userId: id }) => id))
      return storage.users.upsert(batch)
    },
  }
  return { storage: { ...storage, users }, read, written }
}
