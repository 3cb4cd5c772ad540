import { epochSeconds, providerId } from '@mintmark/storage-interface'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { describe, expect, test } from 'vitest'
import { aMariadbServer, aPostgresServer, type WaitingServer } from './support/waiting-server.ts'

// A statement reads what was committed when it began, even after it has waited for another transaction. So do triggers of MariaDB,
// unless they lock what they read.
describe.for([
  { name: 'PostgreSQL', open: aPostgresServer },
  { name: 'MariaDB', open: aMariadbServer },
])('the block of a user whose removal is uncommitted, on $name', ({ open }) => {
  test('a user who is created while the removal of a blocked user is uncommitted is blocked (RFC 7644 §3.6)', async () => {
    const server = await open()
    const { storage } = server
    await storage.provisionedUsers.insert(ada)
    await storage.users.deactivate(ada.userId, now)

    const [removal, creation] = await whileRemovalIsOpen(server, () => storage.provisionedUsers.insert(again))

    expect(removal).toEqual({ outcome: 'removed' })
    expect(creation).toMatchObject({ outcome: 'inserted', record: { active: false, blockedAt: now } })
    expect(await storage.users.find(again.userId)).toMatchObject({ active: false, blockedAt: now })
  })

  test.for(['externalId', 'userName'] as const)(
    'a user who takes the %s of a blocked user whose removal is uncommitted is blocked (RFC 7644 §3.6)',
    async (key) => {
      const server = await open()
      const { storage } = server
      await storage.provisionedUsers.insert(ada)
      await storage.provisionedUsers.insert(eve)
      await storage.users.deactivate(ada.userId, now)
      const { externalId, comparable } = ada.state
      const state = aProvisionedState('eve', key === 'externalId' ? { externalId } : { comparable })

      const [removal, change] = await whileRemovalIsOpen(server, () =>
        storage.provisionedUsers.compareAndSwap({ ...eve, version: 1, state, now }),
      )

      expect(removal).toEqual({ outcome: 'removed' })
      expect(change).toMatchObject({ outcome: 'swapped', record: { active: false, blockedAt: now, generation: 1 } })
      expect(await storage.users.find(eve.userId)).toMatchObject({ active: false, blockedAt: now })
    },
  )

  test('if a user is blocked while the removal of the user is uncommitted, the next user with the same keys is blocked', async () => {
    const server = await open()
    const { storage } = server
    await storage.provisionedUsers.insert(ada)

    const [removal, block] = await whileRemovalIsOpen(server, () => storage.users.deactivate(ada.userId, now))
    await storage.provisionedUsers.insert(again)

    expect([removal, block]).toEqual([{ outcome: 'removed' }, { outcome: 'absent' }])
    expect(await storage.users.find(again.userId)).toMatchObject({ active: false, blockedAt: now })
  })
})

const now = epochSeconds(1_800_000_000)
const ada = aProvisionedUser('ada')
const eve = aProvisionedUser('eve')
const again = aProvisionedUser('again', { state: ada.state })
const removalOfAda = { providerId: providerId('provider-1'), userId: ada.userId, version: undefined, now }

/** Starts work after the removal of `ada` has changed her row, and lets the removal commit when the work waits for it. */
async function whileRemovalIsOpen<T>(
  { storage, lockTotal, untilStatementsWait }: WaitingServer,
  work: () => Promise<T>,
) {
  const commit = await lockTotal()
  const removal = storage.provisionedUsers.remove(removalOfAda)
  await untilStatementsWait(1)
  const working = work()
  await untilStatementsWait(2)
  await commit()
  return Promise.all([removal, working])
}
