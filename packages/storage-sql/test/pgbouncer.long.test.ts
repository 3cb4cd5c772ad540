import { randomBytes } from 'node:crypto'
import { StorageUnavailableError, type AdminStorage } from '@mintmark/storage-interface'
import { adminLaws, type StorageUnderTest } from '@mintmark/storage-interface/contract'
import { aCodeRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { freePort, onFreePort } from '../../../test/support/free-port.ts'
import { startPgbouncer, type PgbouncerServer } from './support/pgbouncer-server.ts'
import { postgresUnderTest } from './support/postgres-database.ts'
import { addressOfTheRun } from './support/postgres-of-the-run.ts'

/** An empty database, without a connection option, which PgBouncer refuses. */
async function aDatabaseOfItsOwn(): Promise<string> {
  const server = await addressOfTheRun()
  const name = `pooled_${randomBytes(8).toString('hex')}`
  const pool = new Pool({ connectionString: server, max: 1 })
  await pool.query(`CREATE DATABASE ${name}`)
  await pool.end()
  const own = new URL(server)
  own.pathname = name
  return own.href
}

const through = (url: string, port: number): string => {
  const pooled = new URL(url)
  pooled.port = String(port)
  return pooled.href
}

describe('PgBouncer in transaction mode, three connections for two pools of five,', () => {
  const pools: Pool[] = []
  let pgbouncer: PgbouncerServer
  let makeStore: () => Promise<StorageUnderTest<AdminStorage>>
  beforeAll(async () => {
    const server = await aDatabaseOfItsOwn()
    const started = await onFreePort(async (port) => ({
      port,
      process: await startPgbouncer({ port, server, connections: 3 }),
    }))
    pgbouncer = started.process
    const connectionString = through(server, started.port)
    const pool = () => {
      const made = new Pool({ connectionString, max: 5 })
      pools.push(made)
      return made
    }
    makeStore = await postgresUnderTest({ pool })
  })
  afterAll(async () => {
    for (const pool of pools) await pool.end()
    await pgbouncer.stop()
  })

  test.for(adminLaws)('keeps the law $name', async (law) => {
    await expect(law.run(makeStore)).resolves.toBeUndefined()
  })
})

test('a server that starts before its pooler waits for it', async () => {
  const server = await aDatabaseOfItsOwn()
  const port = await freePort()
  const pool = new Pool({ connectionString: through(server, port) })
  onTestFinished(() => pool.end())

  const dialect = toPostgresDialect(pool, { migrate: 'on-open' })
  const options = { dialect, issuer: 'https://issuer.example' }
  await expect(createSqlStorage(options)).rejects.toBeInstanceOf(StorageUnavailableError)
  const starting = createSqlStorage({ ...options, waitForDatabaseSeconds: 120 })
  const pgbouncer = await startPgbouncer({ port, server, connections: 3 })
  onTestFinished(() => pgbouncer.stop())
  const storage = await starting

  expect(await storage.codes.insert(aCodeRecord())).toEqual({ outcome: 'inserted' })
})
