import { providerId as providerIdOf } from '@mintmark/storage-interface'
import { aJoin, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { jsonText } from '@mintmark/storage-interface/stores'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { changedPool } from './support/changed-pool.ts'
import { fillProvider } from './support/fill-provider.ts'
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

test('PostgreSQL plans a small page of a large directory once, and sorts nothing', async () => {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool({ max: 1 })
  const dialect = toPostgresDialect(pool, { migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  await fillProvider(dialect, { issuer: 'https://issuer.example', rows: 20_000 })
  await pool.query('ANALYZE')

  for (let number = 0; number < 12; number += 1) {
    const page = { kind: 'index', offset: number * 50, limit: number + 1 } as const
    const query = {
      providerId: providerIdOf('provider-1'),
      filter: undefined,
      sort: undefined,
      page,
      maxBytes: 10_000_000,
    }
    expect(await storage.provisionedUsers.list(query)).toMatchObject({ total: 20_000, records: { length: number + 1 } })
  }

  const { rows } = await pool.query<{ name: string; custom: number; generic: number; nulls: string }>(
    `SELECT name, custom_plans::int AS custom, generic_plans::int AS generic, array_to_string(array_fill('NULL'::text,
       ARRAY[cardinality(parameter_types)]), ', ') AS nulls FROM pg_prepared_statements WHERE statement LIKE '%first_entry%'`,
  )
  const [page] = rows
  // The first five are planned for their values, which shows that this gains nothing.
  expect(rows).toMatchObject([{ custom: 5, generic: 7 }])
  const plan = JSON.stringify((await pool.query(`EXPLAIN EXECUTE ${page?.name}(${page?.nulls})`)).rows)
  expect(plan).toMatch(/Index Scan using mintmark_users_by_age/)
  expect(plan).not.toMatch(/Sort Key: [^"]*created_at|Seq Scan on mintmark_users|mintmark_users_pkey/)
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
