import { epochSeconds, providerId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { aSessionEnd, aSessionRecord, aUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

import { aProvisionedState, aProvisionedUser } from '../src/contract/provisioning-fixtures.ts'

const now = epochSeconds(1_700_000_000)
const ada = { providerId: providerId('provider-1'), userId: userId('user-ada'), version: 1, now }

test.each<[string, (storage: AdminStorage) => Promise<unknown>]>([
  ['sessions.revoke', ({ sessions }) => sessions.revoke(aSessionEnd())],
  ['sessions.revokeOfUser', ({ sessions }) => sessions.revokeOfUser(aUser().userId, 'user', now)],
  ['users.deactivate', ({ users }) => users.deactivate(aUser().userId, now)],
  ['users.remove', ({ users }) => users.remove(aUser().userId, now)],
  ['provisionedUsers.compareAndSwap', ({ provisionedUsers }) => provisionedUsers.compareAndSwap(inactive)],
  ['provisionedUsers.adopt', ({ provisionedUsers }) => provisionedUsers.adopt(inactive)],
  ['provisionedUsers.release', ({ provisionedUsers }) => provisionedUsers.release(ada)],
  ['provisionedUsers.remove', ({ provisionedUsers }) => provisionedUsers.remove(ada)],
])('%s notifies each listener once', async (_method, revoke) => {
  const { storage, announced } = await withListeners()

  await revoke(storage)

  expect(announced).toEqual(['first', 'second'])
})

test('a directory that changes an active user, and a reactivation, notify no listener', async () => {
  const { storage, announced } = await withListeners()

  await storage.provisionedUsers.compareAndSwap({ ...ada, state: aProvisionedState('ada') })
  await storage.users.reactivate(aUser().userId, now)

  expect(announced).toEqual([])
})

const inactive = { ...ada, state: aProvisionedState('ada', { active: false }) }

async function withListeners(): Promise<{ readonly storage: AdminStorage; readonly announced: readonly string[] }> {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.users.insert(aUser())
  await storage.provisionedUsers.insert(aProvisionedUser('ada'))
  await storage.sessions.insert(aSessionRecord())
  const announced: string[] = []
  for (const name of ['first', 'second']) storage.onSessionsRevoked?.(() => void announced.push(name))
  return { storage, announced }
}
