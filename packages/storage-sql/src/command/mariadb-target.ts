import { readFileSync } from 'node:fs'
import type * as mysql2 from 'mysql2'
import type { SqlDialect } from '../dialect.ts'
import type { MariadbPool } from '../mariadb/connection.ts'
import { toMariadbDialect } from '../mariadb/dialect.ts'
import { MigrateCommandError } from './migrate-command-error.ts'

/** A database of MariaDB that a command works on. */
export interface MariadbTarget {
  readonly dialect: SqlDialect
  readonly pool: MariadbPool
  close(): Promise<void>
}

/** Opens a MariaDB database, with the password of the URL or of the variable MYSQL_PWD. @throws MigrateCommandError */
export async function openMariadb(url: string): Promise<MariadbTarget> {
  const settings = mariadbSettings(url, process.env['MYSQL_PWD'])
  const { createPool } = await importDriver()
  const pool = createPool({ ...settings, connectionLimit: 1 })
  const dialect = toMariadbDialect(pool)
  return {
    dialect,
    pool,
    close: async () => {
      await dialect.close()
      await new Promise<void>((resolve) => pool.end(() => resolve()))
    },
  }
}

/**
 * Reads a URL of MariaDB. `ssl-mode` and `ssl-ca` mean what they mean in the programs of MySQL:
 * https://dev.mysql.com/doc/refman/8.4/en/connecting-using-uri-or-key-value-pairs.html
 * @throws MigrateCommandError, which does not repeat the URL.
 */
export function mariadbSettings(url: string, password: string | undefined): mysql2.ConnectionOptions {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const database = parsed?.pathname.slice(1) ?? ''
  if (parsed === undefined || !/^(mariadb|mysql):$/.test(parsed.protocol) || database === '')
    throw new MigrateCommandError('The URL cannot be read. It must look like mariadb://user@host:3306/database.')
  const ssl = sslOf(parsed.searchParams)
  return {
    host: parsed.hostname,
    port: parsed.port === '' ? 3306 : Number(parsed.port),
    user: decodeURIComponent(parsed.username),
    password: decodeURIComponent(parsed.password) || (password ?? ''),
    database: decodeURIComponent(database),
    ...(ssl !== undefined && { ssl }),
  }
}

function sslOf(parameters: URLSearchParams): mysql2.SslOptions | undefined {
  for (const name of parameters.keys())
    if (!parameterNames.has(name))
      throw new MigrateCommandError(`The URL has an unknown parameter: ${name}. It may have ssl-mode and ssl-ca.`)
  const file = parameters.get('ssl-ca')
  const mode = parameters.get('ssl-mode') ?? (file === null ? 'DISABLED' : 'VERIFY_IDENTITY')
  const options = sslModes.get(mode.toUpperCase())
  if (options === undefined)
    throw new MigrateCommandError(`The ssl-mode of the URL must be one of ${[...sslModes.keys()].join(', ')}.`)
  if (options === null) return undefined
  return { ...options, ...(file !== null && { ca: readCertificate(file) }) }
}

const parameterNames: ReadonlySet<string> = new Set(['ssl-mode', 'ssl-ca'])

/** What each mode checks of the certificate of the server. `null`: there is no TLS. */
const sslModes: ReadonlyMap<string, mysql2.SslOptions | null> = new Map([
  ['DISABLED', null],
  ['REQUIRED', { rejectUnauthorized: false }],
  ['VERIFY_CA', { rejectUnauthorized: true }],
  ['VERIFY_IDENTITY', { rejectUnauthorized: true, verifyIdentity: true }],
])

function readCertificate(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new MigrateCommandError(`The file ${file} of ssl-ca cannot be read.`, { cause })
  }
}

async function importDriver(): Promise<typeof mysql2> {
  try {
    return await import('mysql2')
  } catch {
    throw new MigrateCommandError('The package mysql2 cannot be loaded. MariaDB needs it: npm install mysql2')
  }
}
