import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

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
   * SQLite, writes that begin together are committed together, as Mintmark's are, if the connection was opened with `groupWrites`.
   */
  readonly lists: (sql: string) => (...values: SqlValue[]) => Later<readonly (readonly unknown[])[]>
}

export type SqlValue = Parameters<SqlDialect['all']>[1][number]

export type SqlRow = Readonly<Record<string, unknown>>

/** Returns a function that runs a write on SQLite together with those that begin at the same time. */
export type GroupWrites = (database: DatabaseSync) => <Result>(write: () => Result) => Promise<Result>

/**
 * Opens the configured database with Mintmark's connection settings. Loads only the modules of its engine.
 * @param groupWrites Mintmark's own function, which the other floors must not load: `pnpm bench start` bundles them without it.
 */
export async function sqlConnection(
  { storage, sqlitePath = ':memory:', postgresUrl }: TargetSettings,
  groupWrites?: GroupWrites,
): Promise<SqlConnection> {
  if (storage === 'sqlite') return (await import('./sqlite-connection.ts')).sqliteConnection(sqlitePath, groupWrites)
  return (await import('./postgres-connection.ts')).postgresConnection(postgresUrl)
}
