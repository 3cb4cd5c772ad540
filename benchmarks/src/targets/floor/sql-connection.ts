import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

import { Pool } from 'pg'

import type { TargetSettings } from '../../site.ts'
import { databasePath } from '../database-path.ts'
import { andThen, type Later } from '../later.ts'

/** A database by hand: statements are written with `?`, and each is prepared once. */
export interface SqlConnection {
  readonly engine: 'sqlite' | 'postgres'
  /** Runs statements without values. */
  readonly run: (sql: string) => Later<unknown>
  /** Prepares a statement. @returns what gives its rows. */
  readonly rows: (sql: string) => (...values: SQLInputValue[]) => Later<readonly SqlRow[]>
  /** The same for a statement with one row at most. */
  readonly row: (sql: string) => (...values: SQLInputValue[]) => Later<SqlRow | undefined>
}

export type SqlRow = Readonly<Record<string, unknown>>

/** A new database, with Mintmark's settings of the connection. */
export const sqlConnection = (settings: Pick<TargetSettings, 'storage' | 'postgresUrl'>): SqlConnection =>
  settings.storage === 'sqlite' ? onSqlite() : onPostgres(settings.postgresUrl)

function onSqlite(): SqlConnection {
  const database = new DatabaseSync(databasePath())
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  return {
    engine: 'sqlite',
    run: (sql) => database.exec(sql),
    rows: (sql) => {
      const statement = database.prepare(sql)
      return (...values) => statement.all(...values)
    },
    row: (sql) => {
      const statement = database.prepare(sql)
      return (...values) => statement.get(...values)
    },
  }
}

function onPostgres(connectionString: string | undefined): SqlConnection {
  const pool = new Pool({ connectionString })
  let statements = 0

  const rows: SqlConnection['rows'] = (sql) => {
    let parameters = 0
    const text = sql.replaceAll('?', () => `$${(parameters += 1)}`)
    const name = `statement ${(statements += 1)}`
    return async (...values) => (await pool.query<SqlRow>({ name, text, values })).rows
  }
  return {
    engine: 'postgres',
    run: async (sql) => pool.query(sql),
    rows,
    row: (sql) => {
      const all = rows(sql)
      return (...values) => andThen(all(...values), ([first]) => first)
    },
  }
}
