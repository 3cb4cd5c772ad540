import { epochSeconds, providerId, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord, aProviderRecord, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect, type PostgresPool } from '@mintmark/storage-sql/postgres'
import type { PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { aPostgresServer } from './support/waiting-server.ts'

// Each statement of PostgreSQL reads what was committed when it began, even after it has waited for another transaction.

test.for(['removal', 'enabling'] as const)(
  'an agent that is enabled while its owner is removed ends disabled, whichever transaction is open first: the %s',
  async (first) => {
    const { storage, pool, untilStatementsWait } = await aPostgresServer()
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
    await untilStatementsWait(1)
    await transaction.query('COMMIT')
    transaction.release()
    await second

    expect((await storage.clients.find(client.clientId))?.disabledAt).toBe(now)
  },
)

test.for(['before', 'after'] as const)(
  'a sign-in that began %s the directory created the user, and that waits for the removal of the user, does not create the user again',
  async (order) => {
    const { storage, pool, untilStatementsWait } = await aPostgresServer()
    if (order === 'after') await storage.provisionedUsers.insert(ada)

    // The creation and the removal in one transaction: the sign-in waits for both.
    const directory = await pool.connect()
    await directory.query('BEGIN')
    const inTransaction = await createSqlStorage({ dialect: toPostgresDialect(poolOf(directory)), issuer })
    if (order === 'before') await inTransaction.provisionedUsers.insert(ada)
    await inTransaction.provisionedUsers.remove(removalOfAda)
    const signIn = storage.provisionedUsers.insert({ ...again, unlessRemoved: true })
    await untilStatementsWait(1)
    await directory.query('COMMIT')
    directory.release()

    expect(await signIn).toEqual({ outcome: 'removed' })
    expect(await storage.users.find(again.userId)).toBeUndefined()
  },
)

test('a user who is created while a blocked user leaves the same keys for others, which they leave as well, is blocked (RFC 7644 §3.6)', async () => {
  const { storage, pool, untilStatementsWait } = await aPostgresServer()
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
  await untilStatementsWait(1)
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
