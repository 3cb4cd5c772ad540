import type { SQLInputValue } from 'node:sqlite'

import type { SqlDialect } from '@mintmark/storage-sql'

import type { TargetSettings } from '../../site.ts'
import type { Later } from '../later.ts'

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

export type SqlValue = Parameters<SqlDialect['all']>[1][number]

export type SqlRow = Readonly<Record<string, unknown>>

/** The database that the settings lead to, with Mintmark's settings of the connection. Only what its engine needs is loaded. */
export async function sqlConnection({
  storage,
  sqlitePath = ':memory:',
  postgresUrl,
}: TargetSettings): Promise<SqlConnection> {
  if (storage === 'sqlite') return (await import('./sqlite-connection.ts')).sqliteConnection(sqlitePath)
  return (await import('./postgres-connection.ts')).postgresConnection(postgresUrl)
}
