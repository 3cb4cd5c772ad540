import type { SQLInputValue } from 'node:sqlite'

import type { SqlDialect } from '@mintmark/storage-sql'

import type { TargetSettings } from '../../site.ts'
import type { Later } from '../later.ts'

/** A database with hand-written statements: they use `?` for parameters, and each is prepared once. */
export interface SqlConnection {
  readonly engine: 'sqlite' | 'postgres'
  /** Runs statements without values. */
  readonly run: (sql: string) => Later<unknown>
  /** Prepares a statement. @returns a function that returns its rows. */
  readonly rows: (sql: string) => (...values: SQLInputValue[]) => Later<readonly SqlRow[]>
  /** The same for a statement that returns at most one row. */
  readonly row: (sql: string) => (...values: SQLInputValue[]) => Later<SqlRow | undefined>
  /**
   * The same for a statement in the engine's own syntax, each row as a list of its values: objects take twice as long.
   */
  readonly lists: (sql: string) => (...values: SqlValue[]) => Later<readonly (readonly unknown[])[]>
}

export type SqlValue = Parameters<SqlDialect['all']>[1][number]

export type SqlRow = Readonly<Record<string, unknown>>

/** The configured database with Mintmark's connection settings. Only the modules of its engine are loaded. */
export async function sqlConnection({
  storage,
  sqlitePath = ':memory:',
  postgresUrl,
}: TargetSettings): Promise<SqlConnection> {
  if (storage === 'sqlite') return (await import('./sqlite-connection.ts')).sqliteConnection(sqlitePath)
  return (await import('./postgres-connection.ts')).postgresConnection(postgresUrl)
}
