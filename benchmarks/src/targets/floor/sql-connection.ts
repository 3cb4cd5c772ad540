import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

import type { SqlValue } from '@mintmark/storage-sql'
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
  /** The same for a statement in the engine's own words, each row as the list of its values: objects by name take twice as long. */
  readonly lists: (sql: string) => (...values: SqlValue[]) => Later<readonly (readonly unknown[])[]>
}

export type SqlRow = Readonly<Record<string, unknown>>

/** A database, a new one unless the settings lead to one that is there, with Mintmark's settings of the connection. */
export const sqlConnection = (settings: Pick<TargetSettings, 'storage' | 'postgresUrl' | 'sqlitePath'>): SqlConnection =>
  settings.storage === 'sqlite' ? onSqlite(settings.sqlitePath) : onPostgres(settings.postgresUrl)

function onSqlite(path = databasePath()): SqlConnection {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY')
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
    lists: (sql) => {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      // The engine's flags are numbers. What `setReturnArrays` changes is not in the type of `all`.
      return (...values) => statement.all(...(values as SQLInputValue[])) as unknown as readonly (readonly unknown[])[]
    },
  }
}

function onPostgres(connectionString: string | undefined): SqlConnection {
  const pool = new Pool({ connectionString })
  let statements = 0
  const nextName = (): string => `statement ${(statements += 1)}`

  const rows: SqlConnection['rows'] = (sql) => {
    let parameters = 0
    const text = sql.replaceAll('?', () => `$${(parameters += 1)}`)
    const name = nextName()
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
    lists: (text) => {
      const name = nextName()
      return async (...values) => (await pool.query<unknown[]>({ name, text, values, rowMode: 'array' })).rows
    },
  }
}
