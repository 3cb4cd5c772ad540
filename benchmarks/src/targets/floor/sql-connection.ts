import type { SQLInputValue } from 'node:sqlite'

import type { SqlDialect } from '@mintmark/storage-sql'

import type { TargetSettings } from '../../site.ts'
import type { Later } from '../later.ts'

/** A database for hand-written statements, which use `?` for parameters and are prepared once. */
export interface SqlConnection {
  readonly engine: 'sqlite' | 'postgres'
  /** Runs statements without parameters. */
  readonly run: (sql: string) => Later<unknown>
  /** Prepares a statement. Returns a function that runs it and returns its rows. */
  readonly rows: (sql: string) => (...values: SQLInputValue[]) => Later<readonly SqlRow[]>
  /** Prepares a statement that returns at most one row. */
  readonly row: (sql: string) => (...values: SQLInputValue[]) => Later<SqlRow | undefined>
  /**
   * Prepares a statement in the engine's own syntax. Its rows are lists of values, because objects take twice as long. On
   * SQLite, writes that begin together are committed together, as Mintmark's are.
   */
  readonly lists: (sql: string) => (...values: SqlValue[]) => Later<readonly (readonly unknown[])[]>
}

export type SqlValue = Parameters<SqlDialect['all']>[1][number]

export type SqlRow = Readonly<Record<string, unknown>>

/** Opens the configured database with Mintmark's connection settings. Loads only the modules of its engine. */
export async function sqlConnection({
  storage,
  sqlitePath = ':memory:',
  postgresUrl,
}: TargetSettings): Promise<SqlConnection> {
  if (storage === 'sqlite') return (await import('./sqlite-connection.ts')).sqliteConnection(sqlitePath)
  return (await import('./postgres-connection.ts')).postgresConnection(postgresUrl)
}
