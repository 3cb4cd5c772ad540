import { migrate, type SqlDialect } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { Pool } from 'pg'
import { onTestFinished } from 'vitest'
import { emptySqlite } from '../sqlite-under-test.ts'
import { aMigratedMariadbDatabase } from './mariadb-of-the-run.ts'
import { deleteRows, type TestDatabase } from './postgres-database.ts'
import { aMigratedDatabase } from './postgres-of-the-run.ts'

/** An empty database with the tables. */
export interface OpenDatabase {
  readonly dialect: SqlDialect
  /** Gives it to a later test of the same process, because migrations take longer than most tests. */
  readonly remove: () => Promise<void>
}

// A test that changes the schema opens a database of its own.

async function openSqlite(): Promise<OpenDatabase> {
  const dialect = unused.pop() ?? (await aSqliteWithTables())
  return {
    dialect: { ...dialect, close: async () => {} },
    remove: async () => {
      await emptySqlite(dialect)
      unused.push(dialect)
    },
  }
}

const unused: SqlDialect[] = []

async function aSqliteWithTables(): Promise<SqlDialect> {
  const dialect = openSqliteDialect(':memory:')
  await migrate({ dialect })
  return dialect
}

async function openPostgres(options?: Parameters<TestDatabase['pool']>[0]): Promise<OpenDatabase> {
  const database = await aMigratedDatabase()
  return { dialect: toPostgresDialect(database.pool(options)), remove: () => database.remove() }
}

/** Like `openPostgres`, with connections that stay open for later tests, because opening five takes longer than most tests. */
async function openConnectedPostgres(): Promise<OpenDatabase> {
  const connected = unusedConnected.pop() ?? (await connect())
  return {
    dialect: { ...connected.dialect, close: async () => {} },
    remove: async () => {
      await deleteRows(connected.pool)
      unusedConnected.push(connected)
    },
  }
}

const unusedConnected: { readonly dialect: SqlDialect; readonly pool: Pool }[] = []

async function connect() {
  const pool = (await aMigratedDatabase()).pool()
  return { pool, dialect: toPostgresDialect(pool) }
}

async function openMariadb(): Promise<OpenDatabase> {
  const { pools, remove } = await aMigratedMariadbDatabase()
  return { dialect: toMariadbDialect(pools[0]), remove }
}

async function untilTestEnds(opening: Promise<OpenDatabase>): Promise<SqlDialect> {
  const { dialect, remove } = await opening
  onTestFinished(remove)
  return dialect
}

/** Returns an empty SQLite database in memory that has the tables, until the test ends. */
export const aMigratedSqlite = (): Promise<SqlDialect> => untilTestEnds(openSqlite())

/** Returns an empty database with the tables on the PostgreSQL of the run, until the test ends. */
export const aMigratedPostgres = (options?: Parameters<TestDatabase['pool']>[0]): Promise<SqlDialect> =>
  untilTestEnds(options === undefined ? openConnectedPostgres() : openPostgres(options))

/** Returns an empty database with the tables on the MariaDB of the run, until the test ends. */
const aMigratedMariadb = (): Promise<SqlDialect> => untilTestEnds(openMariadb())

/** The engines, for tests that run on each. */
export const engines = [
  { name: 'SQLite', open: aMigratedSqlite },
  { name: 'PostgreSQL', open: () => aMigratedPostgres() },
  { name: 'MariaDB', open: aMigratedMariadb },
]

/** The engines, for files whose tests share a database that they remove themselves. */
export const enginesOfFiles = [
  { name: 'SQLite', open: openSqlite },
  { name: 'PostgreSQL', open: () => openPostgres() },
  { name: 'MariaDB', open: openMariadb },
]
