import { StorageUnavailableError, userId, type AdminStorage } from '@mintmark/storage-interface'
import { type LogStore } from '@mintmark/storage-interface/stores'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { AdminError } from '../src/index.ts'
import { issuer, operator, signIn, startAdmin } from './admin-under-test.ts'

it('an action is logged before and after it happens, with its actor, its target, and the record before and after', async () => {
  const under = startAdmin()
  await under.admin.clients.create({ clientId: 'app', clientName: 'App', grantTypes: [] })

  await under.admin.clients.update({ clientId: 'app' }, { clientName: 'Better' })

  const [done, intended] = (await under.admin.audit.list()).items
  const target = { kind: 'client', id: 'app' }
  expect(intended).toMatchObject({
    type: 'client.updated',
    at: under.clock.now(),
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
  expect(under.events.at(-1)).toMatchObject({
    type: 'client.updated',
    actor: operator,
    target,
    before: { clientName: 'App', version: 1 },
    after: { clientName: 'Better', version: 2 },
    logged: 'whole',
  })
})

it('a refused action is logged with its reason', async () => {
  const under = startAdmin()

  await expect(under.admin.users.deactivate('no\u0000body')).rejects.toMatchObject({ reason: 'account_unknown' })

  expect((await under.admin.audit.list()).items.map(({ detail }) => detail)).toMatchObject([
    { stage: 'refused', reason: 'account_unknown', target: { id: 'no?body' } },
    { stage: 'intended', target: { id: 'no?body' } },
  ])
  expect(under.events).toMatchObject([
    { type: 'action.refused', action: 'account.deactivated', reason: 'account_unknown' },
  ])
})

it("the log has the names of a user's claims, and no personal data", async () => {
  const under = startAdmin()
  await under.admin.users.create({ userId: 'a1', claims: { name: 'Annabella', email: 'annabella@x.test' } })
  await under.admin.users.update({ userId: 'a1' }, { claims: { email: 'leeward@x.test' } })
  await signIn(under, 'a1')
  await under.admin.users.remove('a1')

  const told = JSON.stringify([under.events, (await under.admin.audit.list()).items])
  expect(told).not.toMatch(/annabella|leeward|@x\.test/i)
  expect(under.events).toMatchObject([
    { type: 'account.created', after: { claimNames: ['email', 'name'] } },
    { type: 'account.updated', after: { changedClaims: ['email'] } },
    { type: 'account.removed', after: { ended: { grants: [{ clientId: 'app' }], sessionIds: ['s-a1-app-0'] } } },
  ])
})

it('an action is refused when its intention cannot be logged', async () => {
  const { under, down } = withLog()
  down.when = () => true

  await expect(
    under.admin.clients.create({ clientId: 'app', clientName: 'App', grantTypes: [] }),
  ).rejects.toMatchObject({ reason: 'audit_unavailable' })

  down.when = undefined
  expect((await under.admin.clients.list()).items).toEqual([])
  expect(under.events).toMatchObject([{ type: 'action.refused', reason: 'audit_unavailable' }])
})

it('an action that takes access away is performed while the log is down, and its event says so', async () => {
  const { under, down } = withLog()
  await under.admin.users.create({ userId: 'ann' })
  down.when = () => true

  await under.admin.users.deactivate('ann')

  expect(await under.storage.users.find(userId('ann'))).toMatchObject({ active: false })
  expect(under.events.at(-1)).toMatchObject({ type: 'account.deactivated', logged: 'nothing' })
})

it('an action whose outcome cannot be logged is not undone', async () => {
  const { under, down } = withLog()
  down.when = (stage) => stage === 'done'

  await under.admin.users.create({ userId: 'ann' })

  expect(under.events.at(-1)).toMatchObject({ type: 'account.created', logged: 'intent' })
  expect((await under.admin.audit.list()).items.map(({ detail }) => detail['stage'])).toEqual(['intended'])
})

it('a failure of storage gives 503, and only the event has its cause', async () => {
  const storage = createMemoryStorage({ issuer, database: createMemoryDatabase() })
  const failing: AdminStorage = {
    ...storage,
    clients: { ...storage.clients, insert: () => Promise.reject(new StorageUnavailableError('secret detail')) },
  }
  const under = startAdmin({ storage: failing })

  const thrown = await under.admin.clients
    .create({ clientName: 'App', grantTypes: [] })
    .catch((error: unknown) => error)

  expect(thrown).toBeInstanceOf(AdminError)
  expect(thrown).toMatchObject({ reason: 'storage_unavailable', status: 503 })
  expect(String(thrown)).not.toContain('secret detail')
  expect(under.events).toMatchObject([
    { type: 'action.refused', reason: 'storage_unavailable', cause: { message: 'secret detail' } },
  ])
})

/** An administration whose log fails for the entries that a test selects. */
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
  return { down, under: startAdmin({ storage: { ...storage, logs } }) }
}
