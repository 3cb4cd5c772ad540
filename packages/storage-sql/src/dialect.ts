import type { Dialect, Expression, RawBuilder } from 'kysely'

/** What a statement is bound to. */
export type SqlValue = string | number | boolean | null

/** A result row, by column name. */
export type SqlRow = Readonly<Record<string, unknown>>

/** All that differs between SQL engines, apart from the connection. */
export interface SqlEngine {
  readonly name: string
  /** How Kysely writes the engine's SQL; it is never asked to run it. */
  readonly kysely: Pick<Dialect, 'createAdapter' | 'createQueryCompiler'>
  /** Column types and table endings of the migrations. */
  readonly types: {
    readonly text: string
    /** Whole numbers up to 2^53 - 1. */
    readonly integer: string
    readonly flag: string
    readonly json: string
    /** Ends a table whose rows may be large. */
    readonly table: string
    /** Ends a table whose rows are small and found by their key alone. */
    readonly smallRowTable: string
  }
  /** A query with one parameter that returns a row when a table of that name exists. */
  readonly findTable: string
  readonly encodeFlag: (value: boolean) => SqlValue
  readonly decodeFlag: (value: unknown) => boolean
  /** JSON text of the object `target` with the members of the JSON text `patch` added or replaced. */
  readonly mergeJson: (target: Expression<SqlValue>, patch: Expression<SqlValue>) => RawBuilder<SqlValue>
  /** Deletes the batch of rows, and returns a row for each. Rows that another connection is changing may be left. */
  readonly deleteBatch: (batch: SqlBatch) => RawBuilder<unknown>
}

/** The first rows of a table that meet a condition. */
export interface SqlBatch {
  readonly table: string
  /** The columns of the primary key. */
  readonly key: readonly string[]
  readonly condition: Expression<unknown>
  /** Says which rows come first; with the condition it is what an index holds. */
  readonly order: Expression<unknown>
  readonly limit: Expression<SqlValue>
}

/**
 * One connection, or one pool, to a database. It may be shared by the storages of several issuers.
 * Its methods throw `StorageUnavailableError` when the database cannot answer now.
 */
export interface SqlDialect {
  readonly engine: SqlEngine
  /** `on-open`: `createSqlStorage` applies pending migrations by itself. For development. */
  readonly migrate: 'by-command' | 'on-open'
  /** The command that applies pending migrations to this database, for error messages. */
  readonly migrateCommand: string
  /** Runs one statement, prepared on first use, and returns its rows. */
  readonly all: (statement: string, parameters: readonly SqlValue[]) => Promise<readonly SqlRow[]>
  /** Runs all of them in one transaction that excludes other writers, or none. */
  readonly atomically: (statements: readonly string[]) => Promise<void>
  /** Closes what the dialect opened. Storages that use it answer `StorageUnavailableError` from then on. */
  readonly close: () => Promise<void>
}
