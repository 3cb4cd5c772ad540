import { StorageUnavailableError } from '@mintmark/storage-interface'
import { aCodeRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect, type PostgresPool } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'

import type { TestDatabase } from './support/postgres-database.ts'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'

test.for([
  { connection: 'a pooler', hasPooler: true, options: {}, named: false },
  {
    connection: 'a pooler that keeps them',
    hasPooler: true,
    options: { preparedStatementsBehindPooler: true },
    named: true,
  },
  { connection: 'the server', hasPooler: false, options: {}, named: true },
])('prepares statements on a connection to $connection: $named', async ({ hasPooler, options, named }) => {
  const pool = (await aDatabase()).pool({ max: 1 })
  if (hasPooler) behavesAsPooler(pool)
  const storage = await createSqlStorage({ dialect: toPostgresDialect(pool, options), issuer })
  const code = aCodeRecord()

  await storage.codes.insert(code)
  const [first, second] = [1, 2].map(() => storage.codes.consume(code.digest, code.clientId, code.issuedAt))

  expect([await first, await second].map((answer) => answer?.outcome)).toEqual(['won', 'replayed'])
  const { rows } = await pool.query('SELECT FROM pg_prepared_statements')
  expect(rows.length > 0).toBe(named)
})

test('a late statement behind a pooler is given up without cancelling what another program runs', async () => {
  const database = await aDatabase()
  const stranger = await database.pool({ max: 1 }).connect()
  const pool = database.pool({ max: 1 })
  behavesAsPooler(pool, Number(Reflect.get(stranger, 'processID')))
  const dialect = toPostgresDialect(pool, { timeoutMilliseconds: 200 })
  const work = stranger.query('SELECT pg_sleep(0.6)')

  await expect(dialect.all('SELECT pg_sleep(1)', [])).rejects.toBeInstanceOf(StorageUnavailableError)

  expect((await work).rows).toHaveLength(1)
  stranger.release()
  expect(await dialect.all('SELECT 1 AS one', [])).toHaveLength(1)
})

test('waits for a database that cannot be reached yet, and then starts', async () => {
  const pool = (await aDatabase()).pool()
  let refusals = 7
  const startingLate: PostgresPool = {
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
    connect: (taken) => {
      if (refusals === 0) pool.connect(taken)
      else taken(Object.assign(new Error(`refused ${(refusals -= 1)}`), { syscall: 'connect' }), undefined)
    },
  }
  const dialect = toPostgresDialect(startingLate)

  await expect(createSqlStorage({ dialect, issuer })).rejects.toBeInstanceOf(StorageUnavailableError)
  const storage = await createSqlStorage({ dialect, issuer, waitForDatabaseSeconds: 60 })

  expect(await storage.codes.insert(aCodeRecord())).toEqual({ outcome: 'inserted' })
})

async function aDatabase(): Promise<TestDatabase> {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  return database
}

/** A pooler answers with a number of its own instead of that of the server process. */
function behavesAsPooler(pool: Pool, processID = 1_234_567_890): void {
  pool.on('connect', (client) => void Object.assign(client, { processID }))
}
