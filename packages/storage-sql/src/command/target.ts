import { existsSync } from 'node:fs'
import type pg from 'pg'
import type { Client, ClientConfig } from 'pg'
import type { SqlDialect } from '../dialect.ts'
import type { PostgresPool } from '../postgres/connection.ts'
import { toPostgresDialect } from '../postgres/dialect.ts'
import { openSqliteDialect } from '../sqlite/dialect.ts'

/** The database that a command works on. */
export interface Target {
  readonly dialect: SqlDialect
  close(): Promise<void>
}

/** The command cannot be carried out as it was given. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
}

/**
 * Opens the one database that the options name.
 * @param migrateCommand the command that makes a file, for the refusal of a question to one that is not there.
 * @throws CommandRefused, StorageUnavailableError
 */
export async function openTarget(
  { sqlite, postgres }: { readonly sqlite?: string | undefined; readonly postgres?: string | undefined },
  command: 'apply' | 'status',
  migrateCommand: string,
): Promise<Target> {
  if ((sqlite === undefined) === (postgres === undefined)) {
    throw new CommandRefused(`${command} needs --sqlite FILE or --postgres URL`)
  }
  if (postgres !== undefined) return openPostgres(postgres)

  const file = String(sqlite)
  // Opening would make the file; a question changes nothing.
  if (command === 'status' && file !== ':memory:' && !existsSync(file)) {
    throw new CommandRefused(`There is no file ${file}: ${migrateCommand} makes one.`)
  }
  const dialect = openSqliteDialect(file)
  return { dialect, close: () => dialect.close() }
}

/** A PostgreSQL database by its pool. @throws CommandRefused */
export async function openPostgres(url: string): Promise<Target & { readonly pool: PostgresPool }> {
  const driver = await importDriver()
  const settings = { connectionString: url, max: 1 }
  requireReadable(settings, driver)
  const pool = new driver.Pool(settings)
  const dialect = toPostgresDialect(pool)
  return {
    dialect,
    pool,
    close: async () => {
      await dialect.close()
      await pool.end()
    },
  }
}

/** A pool would find out when it makes its first connection, and its message would repeat the URL, and with it a password. */
function requireReadable(settings: ClientConfig, { Client }: typeof pg): Client {
  try {
    return new Client(settings)
  } catch {
    throw new CommandRefused('The URL cannot be read: it looks like postgres://user@host:5432/database')
  }
}

async function importDriver(): Promise<typeof pg> {
  try {
    return (await import('pg')).default
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error
    throw new CommandRefused('PostgreSQL needs the package pg: npm install pg')
  }
}
