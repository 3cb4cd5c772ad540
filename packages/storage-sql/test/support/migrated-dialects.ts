import type { SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { onTestFinished } from 'vitest'
import type { TestDatabase } from './postgres-database.ts'
import { aDatabase } from './postgres-of-the-run.ts'

/** Opens a migrated SQLite database in memory, and closes it after the test. */
export async function aMigratedSqlite(): Promise<SqlDialect> {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  return dialect
}

/** Creates a migrated database on the PostgreSQL of the run, and removes it after the test. */
export async function aMigratedPostgres(options?: Parameters<TestDatabase['pool']>[0]): Promise<SqlDialect> {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  return toPostgresDialect(database.pool(options), { migrate: 'on-open' })
}

/** The engines, for tests that run on each. */
export const engines = [
  { name: 'SQLite', open: aMigratedSqlite },
  { name: 'PostgreSQL', open: () => aMigratedPostgres() },
]
