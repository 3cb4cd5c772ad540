import type { SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { onTestFinished } from 'vitest'
import type { TestDatabase } from './postgres-database.ts'
import { aDatabase } from './postgres-of-the-run.ts'

/** A database in memory, for the time of the test. */
export async function aMigratedFile(): Promise<SqlDialect> {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  return dialect
}

/** A database of its own on the PostgreSQL of the run, for the time of the test. */
export async function aMigratedPool(options?: Parameters<TestDatabase['pool']>[0]): Promise<SqlDialect> {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  return toPostgresDialect(database.pool(options), { migrate: 'on-open' })
}
