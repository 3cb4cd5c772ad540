import { existsSync } from 'node:fs'
import type pg from 'pg'
import type { Client, ClientConfig } from 'pg'
import type { SqlDialect } from '../dialect.ts'
import type { PostgresPool } from '../postgres/connection.ts'
import { toPostgresDialect } from '../postgres/dialect.ts'
import { openSqliteDialect } from '../sqlite/dialect.ts'
import { openMariadb } from './mariadb-target.ts'
import { MigrateCommandError } from './migrate-command-error.ts'

/** The database that a command works on. */
export interface CommandTarget {
  readonly dialect: SqlDialect
  close(): Promise<void>
}

/** Where a database is: a file, or a URL. */
export interface DatabaseNames {
  readonly sqlite?: string | undefined
  readonly postgres?: string | undefined
  readonly mariadb?: string | undefined
}

/**
 * Opens the one database that the options name.
 * @param migrateCommand the command that creates the file, for the error message if the file does not exist.
 * @throws MigrateCommandError, StorageUnavailableError
 */
export async function openTarget(
  names: DatabaseNames,
  command: 'apply' | 'status',
  migrateCommand: string,
): Promise<CommandTarget> {
  const { sqlite, postgres, mariadb } = names
  if ([sqlite, postgres, mariadb].filter((name) => name !== undefined).length !== 1)
    throw new MigrateCommandError(`${command} needs one database: --sqlite FILE, --postgres URL or --mariadb URL`)
  if (postgres !== undefined) return openPostgres(postgres)
  if (mariadb !== undefined) return openMariadb(mariadb)

  const file = String(sqlite)
  // Opening the database would create the file, but `status` must not change anything.
  if (command === 'status' && file !== ':memory:' && !existsSync(file)) {
    throw new MigrateCommandError(`There is no file ${file}: ${migrateCommand} creates it.`)
  }
  const dialect = openSqliteDialect(file)
  return { dialect, close: () => dialect.close() }
}

/** Closes what was opened after the work. */
export async function using<Opened extends { close(): void | Promise<void> }, T>(
  opened: Opened,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

/** Opens a PostgreSQL database. @throws MigrateCommandError */
export async function openPostgres(url: string): Promise<CommandTarget & { readonly pool: PostgresPool }> {
  const driver = await importDriver()
  const settings = { connectionString: url, max: 1 }
  requireReadable(settings, driver)
  const pool = new driver.Pool(settings)
  const dialect = dialectOf(pool)
  return {
    dialect,
    pool,
    close: async () => {
      await dialect.close()
      await pool.end()
    },
  }
}

function dialectOf(pool: PostgresPool): SqlDialect {
  try {
    return toPostgresDialect(pool)
  } catch {
    throw new MigrateCommandError('The URL names several hosts. Give one host that leads to the primary.')
  }
}

/**
 * Throws if the driver cannot read the URL. Otherwise the pool would fail on its first connection, with a message that
 * repeats the URL and its password.
 */
function requireReadable(settings: ClientConfig, { Client }: typeof pg): Client {
  try {
    return new Client(settings)
  } catch {
    throw new MigrateCommandError(
      'The URL cannot be read. It must look like postgres://user@host:5432/database, with one host.',
    )
  }
}

async function importDriver(): Promise<typeof pg> {
  try {
    return (await import('pg')).default
  } catch {
    throw new MigrateCommandError('The package pg cannot be loaded. PostgreSQL needs it: npm install pg')
  }
}
