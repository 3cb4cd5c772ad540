// One file: an engine and its dialect are the contract that every database implements.

import type { JsonValue } from '@mintmark/storage-interface'
import { type Dialect, type Expression, type RawBuilder, sql } from 'kysely'
import type { JsonSearch } from './json-search.ts'

/** The value of a parameter of a statement. */
export type SqlValue = string | number | boolean | null

/** The values of a result row, in the order of the columns. `toSqlRows` makes rows from a driver that returns objects. */
export interface SqlRow {
  readonly values: readonly unknown[]
  /** The index of each column in `values`. All rows of a statement share it. */
  readonly indexByColumn: ReadonlyMap<string, number>
}

/** Everything that differs between SQL engines, apart from the connection. */
export interface SqlEngine {
  readonly name: string
  /** Whether a transaction that fails undoes its changes of the schema. */
  readonly undoesSchemaChanges: boolean
  /** How Kysely writes the engine's SQL. Kysely never runs it. */
  readonly kysely: Pick<Dialect, 'createAdapter' | 'createQueryCompiler'>
  /** Column types and table options of the migrations. */
  readonly types: {
    readonly text: string
    /** Text of at most 255 bytes in a key or an index: an identifier of ours, a digest, or a name from a list. */
    readonly key: string
    /** Text of at most 200 characters in a key or an index, such as an `indexKey`. */
    readonly longKey: string
    /** Whole numbers up to 2^53 - 1. */
    readonly integer: string
    readonly flag: string
    readonly json: string
    /** JSON that filters search. It need not keep its exact text. */
    readonly searchable: string
    /** Options of a table with large rows. */
    readonly table: string
    /** The current time in whole seconds since 1970, for migrations and for the purge of revocations. */
    readonly now: string
    /** Options of a table with small rows that are found by key alone. */
    readonly smallRowTable: string
    /** A statement that creates an index of the rows that meet a condition. */
    readonly partialIndex: (index: SqlPartialIndex) => string
    /** A statement that creates an index of columns and of a number that is computed from others. */
    readonly expressionIndex: (index: SqlExpressionIndex) => string
    /** Whether the triggers of a table run in the order in which they are created. */
    readonly runsTriggersInTurn: boolean
    /** Statements that create a trigger. */
    readonly trigger: (trigger: SqlTrigger) => readonly string[]
    /** A condition: two values differ, or one of them is NULL. */
    readonly differ: (one: string, other: string) => string
    /** Ends an insert without `returning`: it writes nothing if a key is taken. */
    readonly orNothing: string
    /** A statement of a trigger that inserts a row or, if there is one with its key, adds 1 to its counter. */
    readonly count: (row: SqlCountedRow) => string
    /** The flags `false` and `true`. */
    readonly no: string
    readonly yes: string
    /** The path of a value in a `searchable` column; with `part`, of that part of each element of a list. */
    readonly pathOf: (names: readonly string[], part?: string) => string
    /**
     * A query for the indexed values of a row of `mintmark_users`: `attribute`, `kind`, `value` and `is_unique`. With `from`,
     * of all rows of that table that have a provider, after the columns `issuer`, `provider_id`, `created_at` and `user_id`.
     */
    readonly indexedValues: (values: SqlIndexedValues) => string
    /** A statement that deletes the rows of a table whose key consists of columns of a row and of rows of a query. */
    readonly removeRows: (rows: SqlRemovedRows) => string
    /** A statement of a trigger that changes the rows of the issuer that a query finds. */
    readonly changeFound: (change: SqlFoundRows & { readonly set: string }) => string
    /**
     * Statements that keep writers out of a table until the transaction ends. None if the engine allows one writer at a
     * time.
     */
    readonly lockTable: (table: string) => readonly string[]
    /** An expression for a random string. */
    readonly randomText: string
    /** An expression for the next number of a row of `mintmark_changes`, and statements that prepare it. */
    readonly changeNumbers: { readonly create: readonly string[]; readonly next: string }
    /** An expression for the JSON list of the names of members that differ between two JSON objects. */
    readonly changedNames: (before: string, after: string) => string
    /** Ends a query and locks its rows against changes until the transaction ends. */
    readonly lockRows: string
    /** Ends a query of a trigger: it reads what has been committed since the statement began, if a lock makes it do so. */
    readonly lockToRead: string
    /** Like `lockRows`, but `keepRows` of another transaction waits as well. */
    readonly lockForRemoval: string
    /**
     * Statements that create a trigger. If the query finds a row, the statement that fired the trigger starts again, and reads
     * what has been committed since. None if the engine allows one writer at a time.
     */
    readonly startAgain: (trigger: Omit<SqlTrigger, 'statements'>, query: string) => readonly string[]
    /** The text that runs the statements of a migration in the engine's own program. */
    readonly print: (statements: readonly string[]) => string
    /** Statements that give the planner statistics for empty tables. */
    readonly showRows: (rows: SqlExpectedRows) => readonly string[]
  }
  /** A query with one parameter that returns a row if a table of that name exists. */
  readonly findTable: string
  readonly encodeFlag: (value: boolean) => SqlValue
  readonly decodeFlag: (value: unknown) => boolean
  /** JSON for a `searchable` column, or for a list that `listed` reads. */
  readonly encodeSearchable: (value: JsonValue) => SqlValue
  /** The JSON text of a `searchable` column. */
  readonly searchableText: (column: Expression<unknown>) => RawBuilder<unknown>
  /** Returns the value that was passed to `encodeSearchable`, from its JSON text. */
  readonly decodeSearchable: (text: string) => JsonValue
  /** The `FROM` clause and the JSON expression to search a table by one of its `json` columns. */
  readonly searchedJson: (
    table: string,
    column: string,
  ) => { readonly from: RawBuilder<unknown>; readonly document: RawBuilder<unknown> }
  /** Decodes a string inside JSON that the engine built from columns. */
  readonly decodeText: (text: string) => string
  /** JSON text of a list of pairs. */
  readonly jsonPairs: (pairs: SqlPairs) => RawBuilder<SqlValue>
  /** The sum of a number for each of the pairs; NULL if there are none. */
  readonly sumOfPairs: (
    pairs: SqlPairs,
    number: (second: Expression<unknown>) => RawBuilder<unknown>,
  ) => RawBuilder<SqlValue>
  /** A query for the strings of a JSON list that `encodeSearchable` has written. Its column is `value`. */
  readonly listed: (list: Expression<SqlValue>) => RawBuilder<unknown>
  /**
   * A query for the pairs of strings of a JSON list of pairs that `encodeSearchable` has written. Its columns are `first` and
   * `second`.
   */
  readonly listedPairs: (list: Expression<SqlValue>) => RawBuilder<unknown>
  /** Like `listed`, with a second column `place`: the position of each string, from 1. */
  readonly listedInOrder: (list: Expression<SqlValue>) => RawBuilder<unknown>
  /** The number of rows of a table that meet a condition, up to a limit. */
  readonly countUpTo: (from: Expression<unknown>, limit: Expression<unknown>) => RawBuilder<SqlValue>
  /** Follows the name of a query of WITH: the query runs once, if the engine can be told so. */
  readonly materialized: RawBuilder<unknown>
  /** A parameter of `limit` or `offset`, or a number that is compared with a sum. */
  readonly wholeNumber: (parameter: Expression<unknown>) => RawBuilder<unknown>
  /**
   * Ends a query after its condition: sorts the rows, and reads a page of them. It reads nothing if the offset is not before the
   * end.
   */
  readonly pageBefore: (page: SqlPage) => RawBuilder<unknown>
  /** The values with which rows are sorted by a value that may be NULL: NULL comes last, and first in descending order. */
  readonly nullsLast: (value: Expression<unknown>, direction: 'asc' | 'desc') => RawBuilder<unknown>
  /** Whether two values are equal, or both NULL. */
  readonly isSame: (one: Expression<unknown>, other: Expression<unknown>) => RawBuilder<boolean>
  /** Whether a row comes after another one, or before it, in the order of columns that begin an index. */
  readonly isBeyond: (
    columns: readonly Expression<unknown>[],
    direction: '>' | '<',
    values: readonly Expression<unknown>[],
  ) => RawBuilder<boolean>
  /** Whether a column has one of the values of a query. The query runs once. */
  readonly among: (column: Expression<unknown>, values: Expression<unknown>) => RawBuilder<boolean>
  /**
   * Whether a row of the issuer has one of the values of a query in the second column of its key. The query runs once,
   * and each value is looked up by the key, whatever the other conditions are.
   */
  readonly keyAmong: (key: SqlKey, values: Expression<unknown>) => RawBuilder<boolean>
  /** The FROM clause and the condition of a query for the rows whose identifiers a query has found. Its column is `id`. */
  readonly rowsFound: (rows: SqlFoundKeys) => {
    readonly from: RawBuilder<unknown>
    readonly where: RawBuilder<unknown>
  }
  /** Whether the rows of a page are joined to it. Otherwise they are found as by `keyAmong`. */
  readonly joinsPages: boolean
  /**
   * A table in FROM, read through an index. A planner without statistics, or with many rows of an issuer, might prefer another
   * one, and read many more rows.
   */
  readonly throughIndex: (table: string, index: string, alias?: string) => RawBuilder<unknown>
  /**
   * The query of a recursive common table expression: each value of a column once, and perhaps NULL, however many rows have it. An
   * index begins with the columns that the condition fixes, and then the column. `undefined` if the engine would read all rows.
   */
  readonly eachValue: ((values: SqlEachValue) => RawBuilder<unknown>) | undefined
  /**
   * Whether a query in the order of an index computes its rows one by one: an offset skips entries of the index alone, and a
   * query that is stopped (`maxBytes`) has not read the rows after that.
   */
  readonly readsRowByRow: boolean
  /**
   * A query for a column of the rows of a table that meet a condition, which locks the rows: until the transaction ends, no other
   * transaction can remove them or change their keys.
   */
  readonly keepRows: (column: string, table: string, where: Expression<unknown>) => RawBuilder<unknown>
  /** Ends a query: it locks the rows against changes, and leaves out rows that another transaction has locked. */
  readonly skipLocked: RawBuilder<unknown>
  /** Filters and sorts by the content of a `searchable` column. */
  readonly search: JsonSearch
  /** JSON text of the object `target` with the members of the JSON text `patch` added or replaced. */
  readonly mergeJson: (target: Expression<SqlValue>, patch: Expression<SqlValue>) => RawBuilder<SqlValue>
  /** Makes an insert return a row, and none (or `UniqueViolationError`) if one of the unique keys is taken. */
  readonly insertIfAbsent: (insert: RawBuilder<unknown>, returning?: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Changes rows and returns them as they are afterwards. */
  readonly changeRows: (change: SqlRowChange) => RawBuilder<unknown>
  /** Changes rows to values of the rows of a query. */
  readonly changeFrom: (change: SqlJoinedChange) => RawBuilder<unknown>
  /** Changes the rows of the issuer that have one of the values of a query in the second column of their key. */
  readonly changeAmong: (rows: SqlKeyedRows & { readonly set: RawBuilder<unknown> }) => RawBuilder<unknown>
  /** Deletes the rows that meet a condition and have one of the values of a query in a column. */
  readonly deleteAmong: (rows: SqlDeletedRows) => RawBuilder<unknown>
  /** Whether a conditional `upsert` returns a row exactly when it has written one. Otherwise it returns none. */
  readonly reportsUpserts: boolean
  /** Whether a statement that begins with WITH may write several tables, one after the other. */
  readonly writesInTurn: boolean
  /** Inserts a row, or changes the row that has its key. */
  readonly upsert: (row: SqlUpsert) => RawBuilder<unknown>
  /** The value that an `upsert` would have inserted into a column. */
  readonly excluded: (column: string) => RawBuilder<unknown>
  /** Deletes the batch and returns a row for each. May leave out rows that another connection is changing. */
  readonly deleteBatch: (batch: SqlBatch) => RawBuilder<unknown>
}

/** The kind of the value of a text whose `indexKey` is a column: 0, or 2 if the column holds a digest or nothing. */
export const kindOfKey = (column: string): string =>
  `CASE WHEN ${column} IS NULL OR ${column} >= 'sha256 ' AND ${column} < 'sha256!' THEN 2 ELSE 0 END`

/** The attributes whose values are read out of a row. */
export interface SqlIndexedValues {
  /** The row, such as `NEW`, or the alias of `from`. */
  readonly row: string
  /** Attributes whose `indexKey` is a column, with its name. A text without one, or with a digest, is of kind 2. */
  readonly keys?: readonly (readonly [attribute: string, column: string])[]
  /** Attributes with one value. Each yields a row, even when it is absent. */
  readonly single?: readonly SqlIndexedAttributes[]
  /** Attributes with several values. */
  readonly several?: readonly SqlIndexedAttributes[]
  /**
   * Attributes with several values, with the path of the list. Each yields a row with the primary value, or else the first
   * value, even when it is absent.
   */
  readonly first?: readonly SqlIndexedAttributes[]
  readonly from?: string
}

/** An attribute, or each attribute of a query, as SQL expressions. Paths that are constants are parsed once. */
export interface SqlIndexedAttributes {
  readonly attribute: string
  readonly path: string
  /** The name of the part of each value, or the empty string. NULL for an attribute with one value. */
  readonly part: string
  readonly isUnique: string
  /** The query, whose columns the expressions contain, with its alias. */
  readonly from?: string
}

interface SqlRemovedRows {
  readonly table: string
  readonly row: string
  /** The columns of the key whose values are taken from the row. */
  readonly same: readonly string[]
  /** The other columns of the key, which the query returns. */
  readonly columns: readonly string[]
  readonly query: string
}

/** Rows of an issuer, for triggers. */
export interface SqlFoundRows {
  readonly table: string
  /** An expression for the issuer. */
  readonly issuer: string
  readonly column: string
  /** A query whose one column is `column`. */
  readonly query: string
}

export interface SqlPage {
  readonly order: Expression<unknown>
  /** The number of all rows. */
  readonly end: Expression<unknown>
  readonly limit: Expression<unknown>
  readonly offset: Expression<unknown>
}

interface SqlKeyedRows {
  readonly table: string
  readonly key: SqlKey
  readonly values: Expression<unknown>
}

interface SqlFoundKeys {
  readonly from: Expression<unknown>
  readonly key: SqlKey
  readonly ids: Expression<unknown>
  /** Whether the query finds each identifier once. */
  readonly areDistinct: boolean
}

interface SqlDeletedRows {
  readonly table: string
  readonly where: Expression<unknown>
  readonly column: Expression<unknown>
  /** A query whose column is `value`. */
  readonly values: Expression<unknown>
}

/** Pairs of values of rows, which other tables of the statement may select. */
export interface SqlPairs {
  readonly table: string
  /** The index that begins with the columns of the condition. */
  readonly index: string
  readonly where: (alias: string) => RawBuilder<unknown>
  readonly first: (alias: string) => RawBuilder<unknown>
  readonly second: (alias: string) => RawBuilder<unknown>
  /** How many of the pairs are read, in the order of `first`; all unless given. */
  readonly limit?: Expression<unknown>
}

/** The expected distribution of values in tables that are still empty. Columns that are not listed get distinct values. */
export interface SqlExpectedRows {
  readonly tables: readonly string[]
  /** Columns in which many rows have the same value. */
  readonly alike: readonly string[]
  /** Columns that are NULL in most rows. */
  readonly absent: readonly string[]
}

/** The values of a column. */
export interface SqlEachValue {
  /** The name of the common table expression. */
  readonly name: string
  readonly column: string
  readonly from: (alias: string) => RawBuilder<unknown>
  readonly where: (alias: string) => RawBuilder<unknown>
}

/** An index of the rows that meet a condition. If it is unique, only these rows differ in its columns. */
export interface SqlPartialIndex {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  readonly where: string
  readonly unique?: true
}

/** A transaction, for the programs of SQLite and PostgreSQL. */
export const printTransaction = (statements: readonly string[]): string =>
  `BEGIN;\n\n${statements.map((text) => `${text};\n`).join('\n')}\nCOMMIT;\n`

/** The index as SQLite and PostgreSQL create it. */
export const createPartialIndex = ({ name, table, columns, where, unique }: SqlPartialIndex): string =>
  `CREATE ${unique === true ? 'UNIQUE ' : ''}INDEX ${name} ON ${table} (${columns.join(', ')}) WHERE ${where}`

interface SqlExpressionIndex {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  readonly expression: string
}

/** The index as SQLite and PostgreSQL create it. */
export const createExpressionIndex = ({ name, table, columns, expression }: SqlExpressionIndex): string =>
  `CREATE INDEX ${name} ON ${table} (${columns.join(', ')}, (${expression}))`

interface SqlCountedRow {
  readonly table: string
  /** The values of a new row: SQL by column. */
  readonly values: Readonly<Record<string, string>>
  readonly key: readonly string[]
  readonly counter: string
}

/** The statement in SQLite and PostgreSQL. */
export const countRow = ({ table, values, key, counter }: SqlCountedRow): string =>
  `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${Object.values(values).join(', ')})
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${counter} = ${table}.${counter} + 1`

interface SqlUpsert {
  readonly table: string
  readonly columns: readonly string[]
  readonly values: RawBuilder<unknown>
  /** A table without which nothing is written: the rows of an earlier part of the statement. */
  readonly from?: RawBuilder<unknown>
  readonly key: readonly string[]
  readonly set: Readonly<Record<string, RawBuilder<unknown>>>
  /** Which existing row is changed; each unless given. */
  readonly where?: RawBuilder<unknown>
}

/** The statement in SQLite and PostgreSQL. */
export const upsertReturning = (row: SqlUpsert): RawBuilder<unknown> => sql`${upsertRow(row)} returning 1 as written`

/** The same statement, for a dialect that reports whether it wrote. */
export const upsertRow = ({ table, columns, values, from, key, set, where }: SqlUpsert): RawBuilder<unknown> => {
  const changes = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const condition = where === undefined ? sql`` : sql`where ${where}`
  const rows = from === undefined ? sql`values (${values})` : sql`select ${values} from ${from}`
  return sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) ${rows}
    on conflict (${sql.join(key.map((column) => sql.ref(column)))}) do update set ${sql.join(changes)} ${condition}`
}

interface SqlRowChange {
  readonly table: string
  readonly set: RawBuilder<unknown>
  readonly where: RawBuilder<unknown>
  readonly returning: RawBuilder<unknown>
}

/** The change in SQLite and PostgreSQL. */
export const updateReturning = ({ table, set, where, returning }: SqlRowChange): RawBuilder<unknown> =>
  sql`update ${sql.table(table)} set ${set} where ${where} returning ${returning}`

interface SqlJoinedChange {
  readonly table: string
  readonly set: RawBuilder<unknown>
  /** A query with an alias. */
  readonly from: RawBuilder<unknown>
  readonly where: RawBuilder<unknown>
}

/** The change in SQLite and PostgreSQL. */
export const updateFrom = ({ table, set, from, where }: SqlJoinedChange): RawBuilder<unknown> =>
  sql`update ${sql.table(table)} set ${set} from ${from} where ${where}`

/** The insert in SQLite and PostgreSQL. */
export const insertOrNothing = (
  insert: RawBuilder<unknown>,
  returning: RawBuilder<unknown> = sql`1 as inserted`,
): RawBuilder<unknown> => sql`${insert} on conflict do nothing returning ${returning}`

/** A trigger: statements that run for each row that a statement changes, as part of that statement. */
export interface SqlTrigger {
  readonly name: string
  readonly table: string
  /** The event, such as `UPDATE OF provider_id`. */
  readonly after: string
  /** A condition over `OLD` and `NEW`. */
  readonly when: string
  /** A query. The statements run only if it finds a row: on PostgreSQL, starting a statement takes longer than what it does. */
  readonly onlyIf?: string
  /** The rows that the trigger locks in order before its statements run, unless the engine allows one writer at a time. */
  readonly lockFirst?: SqlFoundRows
  readonly statements: readonly string[]
}

/** The first two columns of a key, and the value of the first, which is the issuer. */
export interface SqlKey {
  readonly issuerColumn: Expression<unknown>
  readonly issuer: Expression<unknown>
  readonly column: Expression<unknown>
}

/** The first rows of a table that meet a condition. */
interface SqlBatch {
  readonly table: string
  /** The columns of the primary key. */
  readonly key: readonly string[]
  readonly condition: Expression<unknown>
  /** The order. Together with the condition it matches an index. */
  readonly order: Expression<unknown>
  readonly limit: Expression<SqlValue>
}

/**
 * `lasting`: one of a fixed number of statements, kept prepared. `long`: the same, for a query that may read many rows.
 * `passing`: one of very many, for a query that may read many rows.
 */
export type StatementLifetime = 'lasting' | 'long' | 'passing'

/** How a statement runs. */
export interface SqlQueryOptions {
  readonly lifetime?: StatementLifetime
  /** On whose behalf a query that may read many rows runs. Owners take turns. */
  readonly owner?: string
  /** Cancels a query. Not given for a statement that writes. */
  readonly signal?: AbortSignal | undefined
  /**
   * Ends a query one row after the sum of the column `bytes` has reached this number. The last row shows that the result
   * has more rows. Only for engines with `readsRowByRow`.
   */
  readonly maxBytes?: number | undefined
  /** Whether it is a lasting query that finds a few rows by their keys and locks none. An engine may send several together. */
  readonly isLookup?: boolean
  /**
   * The key of the one row that a lasting statement inserts or changes, if only its request knows the key, and no other statement waits
   * for several such rows. An engine may send several such statements together, in one transaction.
   */
  readonly ownKey?: string
}

/** A statement of a transaction. If a `guard` returns no row, the transaction is rolled back. */
export interface SqlStep {
  readonly statement: string
  readonly parameters: readonly SqlValue[]
  readonly role: 'guard' | 'step'
}

/**
 * A connection, or a pool of connections, to a database. The storages of several issuers may share it. Its methods
 * throw `StorageUnavailableError` when the database cannot answer now.
 */
export interface SqlDialect {
  readonly engine: SqlEngine
  /** `on-open`: `createSqlStorage` applies pending migrations. For development. */
  readonly migrate: 'by-command' | 'on-open'
  /** The command line that applies pending migrations to this database, for error messages. */
  readonly migrateCommand: string
  /**
   * Runs one statement and returns its rows. A `lasting` statement, the default, is prepared on first use.
   * @throws UniqueViolationError when it would duplicate a key; nothing was written. The reason of the signal when it is
   * aborted first.
   */
  readonly all: (
    statement: string,
    parameters: readonly SqlValue[],
    options?: SqlQueryOptions,
  ) => Promise<readonly SqlRow[]>
  /**
   * Runs the steps in order in one transaction and returns the rows of the last. If a guard returns no row, everything
   * is rolled back and the result is `undefined`. Each step sees what was committed before it began.
   * @throws UniqueViolationError as `all`.
   */
  readonly transact: (steps: readonly SqlStep[]) => Promise<readonly SqlRow[] | undefined>
  /**
   * Runs work of the same name one after the other, so that work that waits for a row does not hold a connection.
   * It is not a lock: other processes may run the same work at the same time.
   * @throws StorageUnavailableError when its turn does not come in time; and what the work throws.
   */
  readonly oneAtATime: <T>(name: string, work: () => Promise<T>) => Promise<T>
  /** Runs all statements in one transaction that excludes other writers, or none. */
  readonly atomically: (statements: readonly string[]) => Promise<void>
  /** Closes what the dialect opened. Storages that use it throw `StorageUnavailableError` from then on. */
  readonly close: () => Promise<void>
}

/** A write would have duplicated a key. Nothing was written; the store finds out which key it was. */
export class UniqueViolationError extends Error {
  override readonly name = 'UniqueViolationError'
}

/** Returns what a write returns, or `'duplicate'` if it would have duplicated a key. */
export async function orDuplicate<Rows>(write: Promise<Rows>): Promise<Rows | 'duplicate'> {
  try {
    return await write
  } catch (error) {
    if (error instanceof UniqueViolationError) return 'duplicate'
    throw error
  }
}
