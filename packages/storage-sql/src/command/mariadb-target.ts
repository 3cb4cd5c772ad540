import type * as mysql2 from 'mysql2'
import { toMariadbDialect } from '../mariadb/dialect.ts'
import { MigrateCommandError, type CommandTarget } from './target.ts'

/** Opens a MariaDB database, with the password of the URL or of the variable MYSQL_PWD. @throws MigrateCommandError */
export async function openMariadb(url: string): Promise<CommandTarget> {
  const settings = settingsOf(url)
  const { createPool } = await importDriver()
  const pool = createPool(settings)
  const dialect = toMariadbDialect(pool)
  return {
    dialect,
    close: async () => {
      await dialect.close()
      await new Promise<void>((resolve) => pool.end(() => resolve()))
    },
  }
}

function settingsOf(url: string): mysql2.PoolOptions {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const database = parsed?.pathname.slice(1) ?? ''
  if (parsed === undefined || !/^(mariadb|mysql):$/.test(parsed.protocol) || database === '')
    throw new MigrateCommandError('The URL cannot be read. It must look like mariadb://user@host:3306/database.')
  return {
    host: parsed.hostname,
    port: parsed.port === '' ? 3306 : Number(parsed.port),
    user: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password) || (process.env['MYSQL_PWD'] ?? ''),
    database: decodeURIComponent(database),
    connectionLimit: 1,
  }
}

async function importDriver(): Promise<typeof mysql2> {
  try {
    return await import('mysql2')
  } catch {
    throw new MigrateCommandError('The package mysql2 cannot be loaded. MariaDB needs it: npm install mysql2')
  }
}
