import { StorageUnavailableError } from '@mintmark/storage-interface'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'

import { startPostgres } from './support/postgres-server.ts'

test.for([
  { write: 'a statement', transact: false },
  { write: 'a transaction', transact: true },
])('$write that waits for a synchronous standby stays invisible when its caller has given up', async ({ transact }) => {
  const observer = await aServerWithoutItsStandby()
  const pool = observer.poolOfServer()
  const dialect = toPostgresDialect(pool, { timeoutMilliseconds: 300 })
  const write = 'INSERT INTO kept VALUES (1) RETURNING id'

  const late = transact
    ? dialect.transact([{ statement: write, parameters: [], role: 'step' }])
    : dialect.all(write, [])

  await expect(late).rejects.toBeInstanceOf(StorageUnavailableError)
  // The connection has been closed.
  await expect.poll(() => pool.totalCount).toBe(0)
  expect(await observer.count(`SELECT FROM kept`)).toBe(0)
  expect(await observer.count(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).toBe(1)

  await observer.dismissStandby()
  await expect.poll(() => observer.count(`SELECT FROM kept`)).toBe(1)
})

/** A PostgreSQL with a table `kept`, whose commits wait for a standby that does not exist. */
async function aServerWithoutItsStandby() {
  const server = await startPostgres()
  const poolOfServer = (): Pool => {
    const pool = new Pool({ connectionString: server.url, max: 3 })
    pools.push(pool)
    return pool
  }
  const pools: Pool[] = []
  onTestFinished(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await server.stop()
  })
  const pool = poolOfServer()
  const standbyIs = async (name: string): Promise<void> => {
    await pool.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
    await pool.query('SELECT pg_reload_conf()')
  }
  await pool.query('CREATE TABLE kept (id int)')
  await standbyIs('nobody')
  const named = `SELECT FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = 'nobody'`
  await expect.poll(async () => (await pool.query(named)).rows.length).toBe(1)
  return {
    poolOfServer,
    count: async (query: string): Promise<number> => (await pool.query(query)).rows.length,
    dismissStandby: () => standbyIs(''),
  }
}
