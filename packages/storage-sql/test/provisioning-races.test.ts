import { randomUUID } from 'node:crypto'
import { epochSeconds, providerId, type AdminStorage } from '@mintmark/storage-interface'
import {
  aClientRecord,
  aProviderRecord,
  aProvisionedState,
  aProvisionedUser,
} from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect, type PostgresPool } from '@mintmark/storage-sql/postgres'
import type { Pool, PoolClient } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

// Each statement of PostgreSQL reads what was committed when it began, even after it has waited for another transaction.

test('a user who is created while the removal of a blocked user is uncommitted is blocked (RFC 7644 §3.6)', async () => {
  const { storage, pool } = await aServer()
  await storage.provisionedUsers.insert(ada)
  await storage.users.deactivate(ada.userId, now)

  const [removal, creation] = await whileRemovalIsOpen({ storage, pool }, () => storage.provisionedUsers.insert(again))

  expect(removal).toEqual({ outcome: 'removed' })
  expect(creation).toMatchObject({ outcome: 'inserted', record: { active: false, blockedAt: now } })
  expect(await storage.users.find(again.userId)).toMatchObject({ active: false, blockedAt: now })
})

test.for(['externalId', 'userName'] as const)(
  'a user who takes the %s of a blocked user whose removal is uncommitted is blocked (RFC 7644 §3.6)',
  async (key) => {
    const { storage, pool } = await aServer()
    await storage.provisionedUsers.insert(ada)
    await storage.provisionedUsers.insert(eve)
    await storage.users.deactivate(ada.userId, now)
    const { externalId, comparable } = ada.state
    const state = aProvisionedState('eve', key === 'externalId' ? { externalId } : { comparable })

    const [removal, change] = await whileRemovalIsOpen({ storage, pool }, () =>
      storage.provisionedUsers.compareAndSwap({ ...eve, version: 1, state, now }),
    )

    expect(removal).toEqual({ outcome: 'removed' })
    expect(change).toMatchObject({ outcome: 'swapped', record: { active: false, blockedAt: now, generation: 1 } })
    expect(await storage.users.find(eve.userId)).toMatchObject({ active: false, blockedAt: now })
  },
)

test('if a user is blocked while the removal of the user is uncommitted, the next user with the same keys is blocked', async () => {
  const { storage, pool } = await aServer()
  await storage.provisionedUsers.insert(ada)

  const [removal, block] = await whileRemovalIsOpen({ storage, pool }, () => storage.users.deactivate(ada.userId, now))
  await storage.provisionedUsers.insert(again)

  expect([removal, block]).toEqual([{ outcome: 'removed' }, { outcome: 'absent' }])
  expect(await storage.users.find(again.userId)).toMatchObject({ active: false, blockedAt: now })
})

test.for(['removal', 'enabling'] as const)(
  'an agent that is enabled while its owner is removed ends disabled, whichever transaction is open first: the %s',
  async (first) => {
    const { storage, pool } = await aServer()
    await storage.identityProviders.insert(aProviderRecord())
    await storage.provisionedUsers.insert(ada)
    const agent = {
      providerId: ada.providerId,
      ownerUserId: ada.userId,
      externalId: undefined,
      resource: {},
      updatedAt: now,
      endedAt: undefined,
    }
    const client = aClientRecord({ agent })
    await storage.clients.insert(client)

    const transaction = await pool.connect()
    await transaction.query('BEGIN')
    const inside = await createSqlStorage({ dialect: toPostgresDialect(poolOf(transaction)), issuer })
    const remove = (by: AdminStorage) => by.provisionedUsers.remove(removalOfAda)
    const enable = (by: AdminStorage) => by.clients.compareAndSwap(client, 1)
    await (first === 'removal' ? remove(inside) : enable(inside))
    const second = first === 'removal' ? enable(storage) : remove(storage)
    await untilStatementsWait(pool)
    await transaction.query('COMMIT')
    transaction.release()
    await second

    expect((await storage.clients.find(client.clientId))?.disabledAt).toBe(now)
  },
)

test.for(['before', 'after'] as const)(
  'a sign-in that began %s the directory created the user, and that waits for the removal of the user, does not create the user again',
  async (order) => {
    const { storage, pool } = await aServer()
    if (order === 'after') await storage.provisionedUsers.insert(ada)

    // The creation and the removal in one transaction: the sign-in waits for both.
    const directory = await pool.connect()
    await directory.query('BEGIN')
    const inTransaction = await createSqlStorage({ dialect: toPostgresDialect(poolOf(directory)), issuer })
    if (order === 'before') await inTransaction.provisionedUsers.insert(ada)
    await inTransaction.provisionedUsers.remove(removalOfAda)
    const signIn = storage.provisionedUsers.insert({ ...again, unlessRemoved: true })
    await untilStatementsWait(pool)
    await directory.query('COMMIT')
    directory.release()

    expect(await signIn).toEqual({ outcome: 'removed' })
    expect(await storage.users.find(again.userId)).toBeUndefined()
  },
)

test('a user who is created while a blocked user leaves the same keys for others, which they leave as well, is blocked (RFC 7644 §3.6)', async () => {
  const { storage, pool } = await aServer()
  await storage.provisionedUsers.insert(ada)
  await storage.users.deactivate(ada.userId, now)

  const directory = await pool.connect()
  await directory.query('BEGIN')
  const inTransaction = await createSqlStorage({ dialect: toPostgresDialect(poolOf(directory)), issuer })
  const linked = { ...removalOfAda, version: 3, state: eve.state }
  await inTransaction.provisionedUsers.release(removalOfAda)
  expect((await inTransaction.provisionedUsers.adopt(linked)).outcome).toBe('swapped')
  await inTransaction.provisionedUsers.release({ ...removalOfAda, now: epochSeconds(now + 1) })
  const creation = storage.provisionedUsers.insert(again)
  await untilStatementsWait(pool)
  await directory.query('COMMIT')
  directory.release()

  expect(await creation).toMatchObject({ outcome: 'inserted', record: { active: false, blockedAt: now } })
})

const issuer = 'https://issuer.example'
const now = epochSeconds(1_800_000_000)
const ada = aProvisionedUser('ada')
const eve = aProvisionedUser('eve')
const again = aProvisionedUser('again', { state: ada.state })
const removalOfAda = { providerId: providerId('provider-1'), userId: ada.userId, version: undefined, now }

interface Server {
  readonly storage: AdminStorage
  readonly pool: Pool
}

async function aServer(): Promise<Server> {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  // `untilStatementsWait` counts only the statements of this test.
  const pool = database.pool({ application_name: randomUUID() })
  const dialect = toPostgresDialect(pool)
  return { storage: await createSqlStorage({ dialect, issuer }), pool }
}

/** Starts work after the removal of `ada` has changed her row, and commits the removal when the work waits for it. */
async function whileRemovalIsOpen<T>({ storage, pool }: Server, work: () => Promise<T>) {
  const other = await pool.connect()
  // A trigger of the removal waits for this row.
  await other.query('BEGIN')
  await other.query('SELECT FROM mintmark_user_totals FOR UPDATE')
  const removal = storage.provisionedUsers.remove(removalOfAda)
  await untilStatementsWait(pool)
  const working = work()
  await untilStatementsWait(pool, 2)
  await other.query('COMMIT')
  other.release()
  return Promise.all([removal, working])
}

/** A pool with one connection, whose transaction stays open. */
const poolOf = (client: PoolClient): PostgresPool => ({
  on: () => undefined,
  off: () => undefined,
  connect: (taken) =>
    taken(undefined, {
      on: () => undefined,
      off: () => undefined,
      release: () => undefined,
      // Transactions of the storage are parts of the open one.
      query: (statement) => client.query(/^(BEGIN|COMMIT)/.test(statement.text) ? { text: '' } : statement),
    }),
})

/** Waits until a number of statements wait for other transactions. */
async function untilStatementsWait(pool: Pool, count = 1): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = current_setting('application_name')`
  while ((await pool.query(waiting)).rows.length < count);
}
