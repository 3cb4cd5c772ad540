import { StorageUnavailableError } from '@mintmark/storage-interface'
import { aCodeRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'

import { aMariadbPool, endPool } from './support/mariadb-database.ts'
import { startMariadb } from './support/mariadb-server.ts'
import { startPostgres } from './support/postgres-server.ts'

interface Database {
  readonly dialect: SqlDialect
  readonly server: { kill(): Promise<void>; restart(): Promise<void> }
}

test.for<{ engine: string; open: () => Promise<Database> }>([
  { engine: 'PostgreSQL', open: openPostgres },
  { engine: 'MariaDB', open: openMariadb },
])('a server that starts while $engine is down fails, or waits for it', async ({ open }) => {
  const { dialect, server } = await open()
  const options = { dialect, issuer: 'https://issuer.example' }
  await server.kill()

  await expect(createSqlStorage(options)).rejects.toBeInstanceOf(StorageUnavailableError)
  const starting = createSqlStorage({ ...options, waitForDatabaseSeconds: 120 })
  await server.restart()

  const storage = await starting
  expect(await storage.codes.insert(aCodeRecord())).toEqual({ outcome: 'inserted' })
})

async function openPostgres(): Promise<Database> {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  onTestFinished(async () => {
    await pool.end()
    await server.stop()
  })
  return { dialect: toPostgresDialect(pool, { migrate: 'on-open' }), server }
}

async function openMariadb(): Promise<Database> {
  const server = await startMariadb()
  const pool = await aMariadbPool(server.port)
  onTestFinished(async () => {
    await endPool(pool)
    await server.stop()
  })
  return { dialect: toMariadbDialect(pool, { migrate: 'on-open' }), server }
}
