import type { JsonValue } from '@mintmark/storage-interface'
import type { AliasedRawBuilder, Dialect, Expression, RawBuilder } from 'kysely'
import type { JsonSearch } from './json-search.ts'

/** What a statement is bound to. */
export type SqlValue = string | number | boolean | null

/** A result row. Of a driver that knows its rows by the names of their columns `rowsByPlace` makes them. */
export interface SqlRow {
  readonly values: readonly unknown[]
  /** Where each column stands among the values. All rows of a statement share it. */
  readonly places: ReadonlyMap<string, number>
}

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
    /** JSON that filters look into. It need not come back as it was written. */
    readonly searchable: string
    /** Ends a table whose rows may be large. */
    readonly table: string
    /** The time in whole seconds since 1970, for migrations and for what a purge removes. */
    readonly now: string
    /** Ends a table whose rows are small and found by their key alone. */
    readonly smallRowTable: string
    /** Statements that make a trigger. */
    readonly trigger: (trigger: SqlTrigger) => readonly string[]
    /** A query for the texts of `emails[*].value`, each once and at most 200 characters of it, of a `searchable` column. */
    readonly emailValues: (column: string) => string
    /** Ends a query whose rows nobody else may change until the transaction ends. */
    readonly lockRows: string
    /** The same, and nobody else may keep them: `keepRows` waits. */
    readonly lockForRemoval: string
    /** A query for the groups, by their identifiers, that a query names; locked one after the other in one order. */
    readonly lockGroups: (groups: { readonly issuer: string; readonly ids: string }) => string
    /**
     * Statements that make a trigger lock rows before anything else: `FROM` what, and in which order. None where there is one
     * writer at a time.
     */
    readonly lockFirst: (trigger: SqlTrigger, rows: string) => readonly string[]
    /** Statements that show the planner what rows of empty tables will be like. None where it does not guess. */
    readonly showRows: (rows: SqlExpectedRows) => readonly string[]
  }
  /** A query with one parameter that returns a row when a table of that name exists. */
  readonly findTable: string
  readonly encodeFlag: (value: boolean) => SqlValue
  readonly decodeFlag: (value: unknown) => boolean
  /** JSON for a `searchable` column, or for a list that `listed` reads. */
  readonly encodeSearchable: (value: JsonValue) => SqlValue
  /** The JSON text of a `searchable` column, and what was given to `encodeSearchable` out of it. */
  readonly searchableText: (column: Expression<unknown>) => RawBuilder<unknown>
  readonly decodeSearchable: (text: string) => JsonValue
  /** What follows `FROM` to go through a table by what a `json` column holds, and the JSON of a row as filters look into it. */
  readonly searchedJson: (
    table: string,
    column: string,
  ) => { readonly from: RawBuilder<unknown>; readonly document: RawBuilder<unknown> }
  /** A text out of JSON that the engine made of columns. */
  readonly decodeText: (text: string) => string
  /** JSON text of a list, with a pair for each row of the query, whose columns are called `first` and `second`. */
  readonly jsonPairs: (query: Expression<unknown>) => RawBuilder<SqlValue>
  /** A query for the texts, as `value`, of a JSON list that `encodeSearchable` has written. */
  readonly listed: (list: Expression<SqlValue>) => RawBuilder<unknown>
  /** The same with the place of each, as `place`; the first is 1. */
  readonly listedInOrder: (list: Expression<SqlValue>) => RawBuilder<unknown>
  /** That a column has one of the values of a query, which is run once. */
  readonly among: (column: Expression<unknown>, values: Expression<unknown>) => RawBuilder<boolean>
  /**
   * Of the rows of an issuer: that the second column of their key has one of the values of a query, which is run once. Each
   * value is looked up by the key, whatever else a row has to be.
   */
  readonly keyAmong: (key: SqlKey, values: Expression<unknown>) => RawBuilder<boolean>
  /** Whether what an offset skips is looked at in an index alone, also by a query for columns that only the table has. */
  readonly skipsInIndex: boolean
  /** Ends a query whose rows, of the table by that name, stay what they are: nobody may remove them, or change their keys. */
  readonly keepRows: (name: string) => RawBuilder<unknown>
  readonly joined: SqlJoinedRows
  /** Filters and orders by what a `searchable` column holds. */
  readonly search: JsonSearch
  /** JSON text of the object `target` with the members of the JSON text `patch` added or replaced. */
  readonly mergeJson: (target: Expression<SqlValue>, patch: Expression<SqlValue>) => RawBuilder<SqlValue>
  /** Deletes the batch of rows, and returns a row for each. Rows that another connection is changing may be left. */
  readonly deleteBatch: (batch: SqlBatch) => RawBuilder<unknown>
}

/** What rows of some tables are like: in most columns each has a value of its own. */
export interface SqlExpectedRows {
  readonly tables: readonly string[]
  /** Columns in which many rows have the same. */
  readonly alike: readonly string[]
  /** Columns in which most rows have nothing. */
  readonly absent: readonly string[]
}

/** How a statement gives whole rows: of its one table, or of each that it joins. */
export interface SqlJoinedRows {
  /** What the statement selects of the table. */
  readonly select: (table: SqlJoinedTable) => readonly AliasedRawBuilder<SqlValue, string>[]
  /** Takes the table's row out of a row of the statement. Where nothing was joined each of its values is NULL. */
  readonly take: (table: SqlJoinedTable) => (row: SqlRow) => SqlRow
}

export interface SqlJoinedTable {
  /** What the statement calls it. */
  readonly alias: string
  readonly columns: readonly string[]
}

/** What is done for each row that a statement changes, as part of that statement. */
export interface SqlTrigger {
  readonly name: string
  readonly table: string
  /** After what, such as `UPDATE OF provider_id`. */
  readonly after: string
  /** Says of `OLD` and `NEW` whether anything is to be done. */
  readonly when: string
  readonly statements: readonly string[]
}

/** The first two columns of a key, and the issuer that the first is to be. */
export interface SqlKey {
  readonly issuerColumn: Expression<unknown>
  readonly issuer: Expression<unknown>
  readonly column: Expression<unknown>
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

/** `lasting`: one of a fixed number, to be kept prepared. `passing`: one of very many. */
export type StatementLifetime = 'lasting' | 'passing'

/** One of the statements of a transaction, and whether the others depend on its having a row. */
export interface SqlStep {
  readonly statement: string
  readonly parameters: readonly SqlValue[]
  readonly role: 'guard' | 'step'
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
  /**
   * Runs one statement and returns its rows. A `lasting` one, which it is unless said otherwise, is prepared on first use.
   * @throws UniqueViolation when it would make two rows of one key; nothing was written.
   */
  readonly all: (
    statement: string,
    parameters: readonly SqlValue[],
    lifetime?: StatementLifetime,
  ) => Promise<readonly SqlRow[]>
  /**
   * Runs the steps in their order in one transaction, and returns the rows of the last. A guard that returns no row undoes
   * all of them and ends it: the answer is `undefined`. Each step sees what was committed before it began.
   * @throws UniqueViolation as `all`.
   */
  readonly transact: (steps: readonly SqlStep[]) => Promise<readonly SqlRow[] | undefined>
  /**
   * Does work of one name one after the other, where each would hold a connection while it waits for the others to be done
   * with a row. It is about this process alone, and no lock: other processes do the same at once.
   * @throws StorageUnavailableError when its turn does not come in time; and what the work throws.
   */
  readonly inLine: <T>(name: string, work: () => Promise<T>) => Promise<T>
  /** Runs all of them in one transaction that excludes other writers, or none. */
  readonly atomically: (statements: readonly string[]) => Promise<void>
  /** Closes what the dialect opened. Storages that use it answer `StorageUnavailableError` from then on. */
  readonly close: () => Promise<void>
}

/** A write would have made two rows of one key. It was not carried out; a store looks which key it was, and answers. */
export class UniqueViolationError extends Error {
  override readonly name = 'UniqueViolation'
}
