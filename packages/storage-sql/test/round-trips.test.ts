import { aJoin, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { jsonText } from '@mintmark/storage-interface/stores'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { changedPool } from './support/changed-pool.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'

const { providerId } = aProvisionedUser('any')
const page = { kind: 'index', offset: 0, limit: 10 } as const

// Every statement is a round trip in every request. Explain the reason when you raise a count.
test('a user who is signed in joins a session with one statement on PostgreSQL', async () => {
  const { storage, statements } = await openCounting()

  expect(await storage.sessions.join(aJoin())).toEqual({ outcome: 'joined' })

  expect(statements()).toBe(1)
  expect(await storage.sessions.participants(aJoin().session.sessionId)).toHaveLength(1)
})

test('a small page of users is one statement on PostgreSQL, and a large page is read again in a transaction', async () => {
  const { storage, statements } = await openCounting()
  const list = () =>
    storage.provisionedUsers.list({ providerId, filter: undefined, sort: undefined, page, maxBytes: 10_000_000 })
  const insert = (name: string, bytes: number) =>
    storage.provisionedUsers.insert(
      aProvisionedUser(name, { state: aProvisionedState(name, { resource: jsonText({ note: 'x'.repeat(bytes) }) }) }),
    )
  await insert('ada', 100)
  await insert('ben', 100_000)
  statements()

  expect(await list()).toMatchObject({ outcome: 'listed', total: 2, records: [{}, {}] })
  expect(statements()).toBe(1)

  await insert('cid', 200_000)
  statements()
  expect(await list()).toMatchObject({ outcome: 'listed', total: 3, records: [{}, {}, {}] })
  expect(statements()).toBe(4)
})

/** Opens a storage on PostgreSQL, and returns it with a function that counts the statements since its last call. */
async function openCounting() {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  let count = 0
  const pool = changedPool(database.pool(), (client) => (statement) => {
    count += 1
    return client.query(statement)
  })
  const storage = await createSqlStorage({
    dialect: toPostgresDialect(pool, { migrate: 'on-open' }),
    issuer: 'https://issuer.example',
  })
  const statements = (): number => {
    const counted = count
    count = 0
    return counted
  }
  statements()
  return { storage, statements }
}
