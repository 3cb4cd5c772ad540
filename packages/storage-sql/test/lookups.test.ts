import { StorageUnavailableError } from '@mintmark/storage-interface'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import type { SqlRow } from '../src/dialect.ts'
import { toPostgresDialect, type PostgresPool } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { changedPool } from './support/changed-pool.ts'
import { aCountedPool } from './support/counted-pool.ts'

test('lookups that are made together are sent together on PostgreSQL, eight at a time', async () => {
  const { pool, packets } = await aCountedPool()
  const { lookUp } = lookupsOn(pool)
  await lookUp('ada')
  const before = packets()

  const found = await Promise.all(Array.from({ length: 20 }, (_, number) => lookUp(`user ${number}`)))

  expect(found).toEqual(Array.from({ length: 20 }, (_, number) => [`user ${number}`]))
  // Each of the three was the first statement of its connection, except one, and a new connection is inspected.
  expect(packets() - before).toBe(3 + 2)
})

test('requests that look up users at the same time share a packet', async () => {
  const { pool, packets } = await aCountedPool()
  const dialect = toPostgresDialect(pool, { migrate: 'on-open' })
  const { provisionedUsers } = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  const { providerId, userId, state } = aProvisionedUser('ada')
  await provisionedUsers.insert(aProvisionedUser('ada'))
  const attribute = { extension: undefined, name: 'externalId', subName: undefined, multiValued: false } as const
  const filter = { kind: 'text', attribute, operator: 'eq', value: state.externalId ?? '' } as const
  const page = { kind: 'index', offset: 0, limit: 10 } as const
  const requests = [
    () => provisionedUsers.find(providerId, userId),
    () => provisionedUsers.list({ providerId, filter, sort: undefined, page }),
  ]
  for (const request of requests) await request()
  const before = packets()

  const found = await Promise.all([...requests, ...requests].map((request) => request()))

  expect(found).toMatchObject([{ userId }, { total: 1 }, { userId }, { total: 1 }])
  expect(packets() - before).toBe(1)
})

test('reads the values of a lookup as those of other statements', async () => {
  const { pool } = await aCountedPool()
  const { dialect } = lookupsOn(pool)
  const text = `select null as nothing, $1::text as given, 1::bigint as large, true as yes, false as no, 0 as zero`
  const values = ['\0 and \u001A']
  const passing = await dialect.all(text, values, { lifetime: 'passing' })

  const first = await dialect.all(text, values, { isLookup: true })
  const again = await Promise.all([1, 2].map(() => dialect.all(text, values, { isLookup: true })))

  expect([first, ...again].map(readable)).toEqual([passing, passing, passing].map(readable))
})

test('a lookup that fails does not make those fail that were sent with it', async () => {
  const { pool } = await aCountedPool()
  const { dialect, lookUp } = lookupsOn(pool)
  const wrong = dialect.all('select 1 / $1::int as quotient', [0], { isLookup: true })

  const outcomes = await Promise.allSettled([lookUp('ada'), wrong, lookUp('ben')])

  expect(outcomes).toMatchObject([{ value: ['ada'] }, { reason: { message: 'division by zero' } }, { value: ['ben'] }])
  // The statements that the connection has prepared are still known.
  expect(await Promise.all([lookUp('ada'), lookUp('ben')])).toEqual([['ada'], ['ben']])
})

test('lookups whose connection breaks are run again', async () => {
  const { pool, database } = await aCountedPool()
  const { dialect, lookUp } = lookupsOn(pool, { timeoutMilliseconds: 60_000 })
  await lookUp('ada')
  const other = await database.pool().connect()
  await other.query('select pg_advisory_lock(1)')
  const slow = dialect.all('select pg_advisory_xact_lock($1::bigint)', [1], { isLookup: true })
  const quick = lookUp('ben')
  await expect.poll(async () => (await other.query(`select ${waits}`)).rowCount).toBe(1)

  await other.query(`select pg_terminate_backend(pid), ${waits}`)
  await other.query('select pg_advisory_unlock(1)')

  expect(await quick).toEqual(['ben'])
  expect(await slow).toHaveLength(1)
  other.release()
})

test('lookups that are not answered in time are given up, and their connection is used again', async () => {
  const { pool } = await aCountedPool({ max: 1 })
  const { dialect, lookUp } = lookupsOn(pool, { timeoutMilliseconds: 2000 })
  await lookUp('ada')
  const slow = dialect.all('select pg_sleep($1::int)', [60], { isLookup: true })

  const quick = lookUp('ben')

  await Promise.all([slow, quick].map((each) => expect(each).rejects.toBeInstanceOf(StorageUnavailableError)))
  await expect.poll(() => lookUp('cid').catch(() => undefined)).toEqual(['cid'])
})

test('asks for the columns of a lasting statement once, on whichever connection', async () => {
  const { pool, describes } = await aCountedPool()
  const { dialect, lookUp } = lookupsOn(pool)
  const run = () => dialect.all('select 1 as one', [])
  const first = await run()
  await lookUp('ada')

  const again = await Promise.all(Array.from({ length: 5 }, run))

  expect(again.map(readable)).toEqual(Array.from({ length: 5 }, () => readable(first)))
  expect(describes()).toBe(2)
})

test.each<readonly [string, (pool: Pool) => PostgresPool]>([
  ['of another driver', (pool) => changedPool(pool, (client) => (statement) => client.query(statement))],
  ['in the pipeline mode of pg', (pool) => pool],
])('lookups on a connection %s are sent one by one', async (name, changed) => {
  const { pool } = await aCountedPool(name.includes('pipeline') ? { pipeline: true } : {})
  const { lookUp } = lookupsOn(changed(pool))

  expect(await Promise.all([lookUp('ada'), lookUp('ben')])).toEqual([['ada'], ['ben']])
  expect(await Promise.all([lookUp('cid'), lookUp('dan')])).toEqual([['cid'], ['dan']])
})

function lookupsOn(pool: PostgresPool, options: Parameters<typeof toPostgresDialect>[1] = {}) {
  const dialect = toPostgresDialect(pool, options)
  const lookUp = async (given: string) => {
    const rows = await dialect.all('select $1::text as given', [given], { isLookup: true })
    return rows.map((row) => readable([row])[0]?.['given'])
  }
  return { dialect, lookUp }
}

/** The rest of a query for the connections that wait for the lock. */
const waits = `pid from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`

const readable = (rows: readonly SqlRow[]): readonly Readonly<Record<string, unknown>>[] =>
  rows.map(({ indexByColumn, values }) =>
    Object.fromEntries([...indexByColumn].map(([column, index]) => [column, values[index]])),
  )
