import { StorageUnavailableError, userId, type AdminStorage } from '@mintmark/storage-interface'
import { type LogStore } from '@mintmark/storage-interface/stores'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { AdminError } from '../src/index.ts'
import { issuer, operator, signIn, startAdmin } from './admin-under-test.ts'

it('an action is logged before and after it happens, with its actor, its target, and the record before and after', async () => {
  const system = startAdmin()
  await system.admin.clients.create({ clientId: 'app', clientName: 'App', grantTypes: [] })

  await system.admin.clients.update({ clientId: 'app' }, { clientName: 'Better' })

  const [done, intended] = (await system.admin.audit.list()).items
  const target = { kind: 'client', id: 'app' }
  expect(intended).toMatchObject({
    type: 'client.updated',
    at: system.clock.now(),
    detail: { stage: 'intended', actor: operator, target },
  })
  expect(done).toMatchObject({
    type: 'client.updated',
    detail: {
      stage: 'done',
      actId: intended?.detail['actId'],
      actor: operator,
      target,
      before: { clientName: 'App' },
      after: { clientName: 'Better' },
    },
  })
  expect(system.events.at(-1)).toMatchObject({
    type: 'client.updated',
    actor: operator,
    target,
    before: { clientName: 'App', version: 1 },
    after: { clientName: 'Better', version: 2 },
    logged: 'whole',
  })
})

it('a refused action is logged with its reason', async () => {
  const system = startAdmin()

  await expect(system.admin.users.deactivate('no\u0000body')).rejects.toMatchObject({ reason: 'user_unknown' })

  expect((await system.admin.audit.list()).items.map(({ detail }) => detail)).toMatchObject([
    { stage: 'refused', reason: 'user_unknown', target: { id: 'no?body' } },
    { stage: 'intended', target: { id: 'no?body' } },
  ])
  expect(system.events).toMatchObject([{ type: 'action.refused', action: 'user.deactivated', reason: 'user_unknown' }])
})

it("the log contains the names of a user's claims, but no personal data", async () => {
  const system = startAdmin()
  await system.admin.users.create({ userId: 'a1', claims: { name: 'Annabella', email: 'annabella@x.test' } })
  await system.admin.users.update({ userId: 'a1' }, { claims: { email: 'leeward@x.test' } })
  await signIn(system, 'a1')
  await system.admin.users.remove('a1')

  const logged = JSON.stringify([system.events, (await system.admin.audit.list()).items])
  expect(logged).not.toMatch(/annabella|leeward|@x\.test/i)
  expect(system.events).toMatchObject([
    { type: 'user.created', after: { claimNames: ['email', 'name'] } },
    { type: 'user.updated', after: { changedClaims: ['email'] } },
    { type: 'user.removed', after: { ended: { grants: [{ clientId: 'app' }], sessionIds: ['s-a1-app-0'] } } },
  ])
})

it('an action is refused when its intention cannot be logged', async () => {
  const { system, down } = withLog()
  down.when = () => true

  await expect(
    system.admin.clients.create({ clientId: 'app', clientName: 'App', grantTypes: [] }),
  ).rejects.toMatchObject({ reason: 'audit_unavailable' })

  down.when = undefined
  expect((await system.admin.clients.list()).items).toEqual([])
  expect(system.events).toMatchObject([{ type: 'action.refused', reason: 'audit_unavailable' }])
})

it('an action that takes access away is performed even while the log is down, and its event says so', async () => {
  const { system, down } = withLog()
  await system.admin.users.create({ userId: 'ann' })
  down.when = () => true

  await system.admin.users.deactivate('ann')

  expect(await system.storage.users.find(userId('ann'))).toMatchObject({ active: false })
  expect(system.events.at(-1)).toMatchObject({ type: 'user.deactivated', logged: 'nothing' })
})

it('the event of an action says if only its outcome was logged', async () => {
  const { system, down } = withLog()
  await system.admin.users.create({ userId: 'ann' })
  const before = (await system.admin.audit.list()).items
  down.when = (stage) => stage === 'intended'

  await system.admin.users.deactivate('ann')

  expect(system.events.at(-1)).toMatchObject({ type: 'user.deactivated', logged: 'outcome' })
  const added = (await system.admin.audit.list()).items.slice(0, -before.length)
  expect(added.map(({ detail }) => detail['stage'])).toEqual(['done'])
})

it('an action whose outcome cannot be logged is not undone', async () => {
  const { system, down } = withLog()
  down.when = (stage) => stage === 'done'

  await system.admin.users.create({ userId: 'ann' })

  expect(system.events.at(-1)).toMatchObject({ type: 'user.created', logged: 'intent' })
  expect((await system.admin.audit.list()).items.map(({ detail }) => detail['stage'])).toEqual(['intended'])
})

it('a failure of storage is reported as 503, and only the event contains its cause', async () => {
  const storage = createMemoryStorage({ issuer, database: createMemoryDatabase() })
  const failing: AdminStorage = {
    ...storage,
    clients: { ...storage.clients, insert: () => Promise.reject(new StorageUnavailableError('secret detail')) },
  }
  const system = startAdmin({ storage: failing })

  const thrown = await system.admin.clients
    .create({ clientName: 'App', grantTypes: [] })
    .catch((error: unknown) => error)

  expect(thrown).toBeInstanceOf(AdminError)
  expect(thrown).toMatchObject({ reason: 'storage_unavailable', status: 503 })
  expect(String(thrown)).not.toContain('secret detail')
  expect(system.events).toMatchObject([
    { type: 'action.refused', reason: 'storage_unavailable', cause: { message: 'secret detail' } },
  ])
})

it('the log does not say that an action was refused if storage fails after its change', async () => {
  const storage = createMemoryStorage({ issuer, database: createMemoryDatabase() })
  const failing: AdminStorage = {
    ...storage,
    users: {
      ...storage.users,
      insert: async (user) => {
        await storage.users.insert(user)
        throw new StorageUnavailableError('The connection was lost at COMMIT')
      },
    },
  }
  const system = startAdmin({ storage: failing })

  await expect(system.admin.users.create({ userId: 'a1' })).rejects.toMatchObject({ reason: 'storage_unavailable' })

  expect(await storage.users.find(userId('a1'))).toMatchObject({ active: true })
  expect((await system.admin.audit.list()).items.map(({ detail }) => detail)).toContainEqual(
    expect.objectContaining({ stage: 'failed', reason: 'storage_unavailable' }),
  )
})

/** Starts an administration whose log fails for the entries that a test selects. */
function withLog() {
  const down: { when: ((stage: unknown) => boolean) | undefined } = { when: undefined }
  const storage = createMemoryStorage({ issuer })
  const logs: LogStore = {
    ...storage.logs,
    append: (entry) =>
      down.when?.(entry.detail['stage']) === true
        ? Promise.reject(new StorageUnavailableError('full'))
        : storage.logs.append(entry),
  }
  return { down, system: startAdmin({ storage: { ...storage, logs } }) }
}

it.each([
  { filter: { target: 'b' }, found: ['client.disabled b', 'client.created b'] },
  { filter: { type: 'client.disabled' }, found: ['client.disabled b', 'client.disabled a'] },
  { filter: { target: 'a', type: 'client.created' }, found: ['client.created a'] },
  { filter: { actor: 'somebody else' }, found: [] },
])('lists only the entries that the filter $filter selects, page by page', async ({ filter, found }) => {
  const system = startAdmin()
  for (const clientId of ['a', 'b']) await system.admin.clients.create({ clientId, clientName: 'App', grantTypes: [] })
  for (const clientId of ['a', 'b']) await system.admin.clients.disable({ clientId })

  const entries: string[] = []
  let after: string | undefined
  do {
    const { items, next } = await system.admin.audit.list({ ...filter, limit: 1, after })
    for (const { type, detail } of items)
      if (detail['stage'] === 'done') entries.push(`${type} ${(detail['target'] as { id: string }).id}`)
    after = next
  } while (after !== undefined)

  expect(entries).toEqual(found)
})
