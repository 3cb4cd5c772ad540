import { epochSeconds, type AdminStorage, StorageUnavailableError, userId } from '@mintmark/storage-interface'
import { adminLaws } from '@mintmark/storage-interface/contract'
import { aGrantRecord, aUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect, withinTransaction } from '@mintmark/storage-sql/postgres'
import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { TestDatabase } from './support/postgres-database.ts'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'
const now = epochSeconds(1_800_000_000)
const ada = userId('user-1')
const user = (name: string) => aUser({ userId: userId(`user-${name}`) })

/** A migrated database with a table of the host, and a client on which a transaction has begun. */
async function aHost(begin = 'BEGIN') {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool()
  const storage = await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })
  await pool.query('CREATE TABLE IF NOT EXISTS people (id text PRIMARY KEY, active boolean NOT NULL)')
  const client = await pool.connect()
  onTestFinished(() => client.release())
  if (begin !== '') await client.query(begin)
  return { pool, storage, client }
}

const writeAda = async (client: PoolClient): Promise<unknown> => {
  await client.query(`INSERT INTO people VALUES ('user-1', true)`)
  const users = [{ userId: ada, claims: { name: 'Ada' }, active: true }]
  return withinTransaction({ client, issuer, work: (storage) => storage.users.upsert({ users, now }) })
}

const peopleOf = async (pool: Pool): Promise<number> => (await pool.query('SELECT 1 FROM people')).rows.length

const revocationsOf = async (storage: AdminStorage) =>
  (await storage.revocations.list({ from: undefined, revokedSince: now, limit: 10 })).records.map(({ revocation }) =>
    revocation.kind === 'generation' ? revocation.userId : revocation.kind,
  )

describe('a transaction of the host', () => {
  test('commits a user together with the row of the host, and shows nothing before', async () => {
    const { pool, storage, client } = await aHost()

    await writeAda(client)
    const before = [await peopleOf(pool), await storage.users.find(ada)]
    await client.query('COMMIT')

    expect(before).toEqual([0, undefined])
    expect([await peopleOf(pool), await storage.users.find(ada)]).toMatchObject([1, { claims: { name: 'Ada' } }])
  })

  test('leaves no user, no deactivation and no revocation when it is rolled back', async () => {
    const { pool, storage, client } = await aHost('')
    await storage.users.insert(aUser())
    await storage.grants.insert(aGrantRecord())
    await client.query('BEGIN')

    await client.query(`INSERT INTO people VALUES ('user-1', false)`)
    await withinTransaction({
      client,
      issuer,
      async work(bound) {
        await bound.users.insert(user('2'))
        await bound.users.deactivate(ada, now)
        await bound.grants.revoke(aGrantRecord().grantId, now)
        expect(await bound.users.find(ada)).toMatchObject({ active: false, generation: 1 })
      },
    })
    await client.query('ROLLBACK')

    expect(await peopleOf(pool)).toBe(0)
    expect(await storage.users.find(ada)).toMatchObject({ active: true, generation: 0 })
    expect(await storage.users.find(userId('user-2'))).toBeUndefined()
    expect(await storage.grants.findUnrevoked(ada, aGrantRecord().clientId)).toBeDefined()
    expect(await revocationsOf(storage)).toEqual([])
  })

  test('keeps revocations in the order of their commits: a reader that continues misses none', async () => {
    const { pool, storage, client } = await aHost('')
    for (const name of ['1', '2']) await storage.users.insert(user(name))
    await client.query('BEGIN')
    await withinTransaction({ client, issuer, work: (bound) => bound.users.deactivate(ada, now) })

    const other = storage.users.deactivate(userId('user-2'), now)
    await untilLockIsAwaited(pool)
    expect(await revocationsOf(storage)).toEqual([])
    await client.query('COMMIT')
    await other

    expect(await revocationsOf(storage)).toEqual([ada, userId('user-2')])
  })

  test('stays usable after a call that was refused, even if calls run at the same time', async () => {
    const { pool, storage, client } = await aHost()
    await storage.users.insert(aUser())

    const outcomes = await withinTransaction({
      client,
      issuer,
      work: (bound) => Promise.all(['1', '2', '2', '3'].map((name) => bound.users.insert(user(name)))),
    })
    await client.query(`INSERT INTO people VALUES ('user-1', true)`)
    await client.query('COMMIT')

    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['taken', 'inserted', 'taken', 'inserted'])
    expect(await peopleOf(pool)).toBe(1)
    expect(await storage.users.find(userId('user-3'))).toBeDefined()
  })

  test('undoes only the call that fails, and reports the error', async () => {
    const { storage, client } = await aHost()
    const wrong = { userId: ada, claims: { name: 'Ada' }, active: true }

    await expect(
      withinTransaction({
        client,
        issuer,
        async work(bound) {
          await bound.users.insert(user('2'))
          await client.query('SAVEPOINT own')
          await client.query('ALTER TABLE mintmark_users RENAME TO hidden')
          await bound.users.upsert({ users: [wrong], now })
        },
      }),
    ).rejects.toThrow('mintmark_users')
    await client.query('ROLLBACK TO SAVEPOINT own')
    await client.query('COMMIT')

    expect(await storage.users.find(userId('user-2'))).toBeDefined()
    expect(await storage.users.find(ada)).toBeUndefined()
  })

  test('repeats a call after a serialization failure', async () => {
    const { client } = await aHost()
    let failures = 2
    const failing: typeof client.query = ((statement: { readonly text: string }) => {
      if (!statement.text.startsWith('insert') || failures === 0) return client.query(statement)
      failures -= 1
      return client.query(`DO $$ BEGIN RAISE EXCEPTION 'overtaken' USING ERRCODE = 'serialization_failure'; END $$`)
    }) as typeof client.query

    const inserted = await withinTransaction({
      client: { query: failing },
      issuer,
      work: (bound) => bound.users.insert(aUser()),
    })

    expect([inserted.outcome, failures]).toEqual(['inserted', 0])
  })

  test.each([
    ['a serialization failure', 'serialization_failure', 3],
    ['another error', 'raise_exception', 1],
  ])(
    'a call that fails is tried again only after a serialization failure, at most three times: %s',
    async (_, condition, attempts) => {
      const { client } = await aHost()
      let tried = 0
      const failing: typeof client.query = ((statement: { readonly text: string }) => {
        if (!statement.text.startsWith('insert')) return client.query(statement)
        tried += 1
        return client.query(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${condition}'; END $$`)
      }) as typeof client.query

      const work = (bound: AdminStorage) => bound.users.insert(aUser())

      await expect(withinTransaction({ client: { query: failing }, issuer, work })).rejects.toThrow('no')
      expect(tried).toBe(attempts)
    },
  )

  test('must be open, and READ COMMITTED', async () => {
    const { storage, client } = await aHost('')
    const work = (bound: AdminStorage) => bound.users.insert(aUser())

    await expect(withinTransaction({ client, issuer, work })).rejects.toThrow('send BEGIN')
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await expect(withinTransaction({ client, issuer, work })).rejects.toThrow('READ COMMITTED')
    await client.query('COMMIT')

    expect(await storage.users.find(ada)).toBeUndefined()
  })

  test('cannot be used after the work has returned, because another request may use the connection then', async () => {
    const { client } = await aHost()
    const returned = await withinTransaction({ client, issuer, work: async (bound) => ({ bound }) })

    await expect(returned.bound.users.insert(aUser())).rejects.toBeInstanceOf(StorageUnavailableError)
  })

  test('reports a broken connection as an outage', async () => {
    const { pool, client } = await aHost()
    client.on('error', () => undefined)
    const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id')

    await expect(
      withinTransaction({
        client,
        issuer,
        async work(bound) {
          await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.id])
          await bound.users.insert(aUser())
        },
      }),
    ).rejects.toBeInstanceOf(StorageUnavailableError)
  })
})

describe('a storage in a transaction of the host', () => {
  let database: TestDatabase
  let client: PoolClient
  beforeAll(async () => {
    database = await aMigratedDatabase()
    const pool = database.pool()
    await createSqlStorage({ dialect: toPostgresDialect(pool), issuer })
    client = await pool.connect()
  })
  afterAll(async () => {
    client.release(true)
    await database.remove()
  })

  // The laws about what hosts write in their transactions. Each takes a tenth of a second.
  const laws = adminLaws.filter(({ name }) => /^(upsert|users|sessions|memberships|revocations)\b/.test(name))
  test('is tested with the laws about upserts, users, sessions, memberships and revocations', () => {
    expect(new Set(laws.map(({ name }) => name.split(':')[0])).size).toBe(5)
  })

  test.for(laws)('keeps the law $name', async (law) => {
    let finish = (): void => {}
    const finished = new Promise<void>((resolve) => void (finish = resolve))
    const makeStore = async () => {
      await client.query('ROLLBACK')
      await client.query('BEGIN')
      const storages = new Map<string, Promise<AdminStorage>>()
      const open = (of: string) => {
        const storage = storages.get(of) ?? keepOpen({ client, issuer: of }, finished)
        storages.set(of, storage)
        return storage
      }
      return { open, close: async () => {} }
    }

    await expect(law.run(makeStore)).resolves.toBeUndefined()
    finish()
  })
})

/** Returns the storage of a transaction, which stays usable as long as the promise is pending. */
const keepOpen = (to: { readonly client: PoolClient; readonly issuer: string }, until: Promise<void>) =>
  new Promise<AdminStorage>((resolve, reject) => {
    const work = async (storage: AdminStorage) => {
      resolve(storage)
      await until
    }
    withinTransaction({ ...to, work }).catch(reject)
  })

/** Waits until a statement of this test waits for a lock. */
async function untilLockIsAwaited(pool: Pool): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND application_name = current_setting('application_name')`
  while ((await pool.query(waiting)).rows.length === 0);
}
