import { hash } from 'node:crypto'
import { forgetOldest } from '@mintmark/internal'
import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely'
import type { Parameter } from './database.ts'
import type { SqlEngine, SqlRow, SqlValue } from './dialect.ts'

/** Returns the index of each column. @param columns the names, in the order of the values. */
export const toIndexByColumn = (columns: readonly string[]): SqlRow['indexByColumn'] =>
  new Map(columns.map((column, index) => [column, index]))

/** Converts rows of a driver that returns objects, all with the same columns in the same order. */
export function toSqlRows(rows: readonly Readonly<Record<string, unknown>>[]): readonly SqlRow[] {
  const [first] = rows
  if (first === undefined) return []
  const indexByColumn = toIndexByColumn(Object.keys(first))
  return rows.map((row) => ({ indexByColumn, values: Object.values(row) }))
}

/** Returns the value of a column, `null` if it is NULL. @throws Error if the row has no such column. */
export function valueOf({ indexByColumn, values }: SqlRow, column: string): unknown {
  const value = values[indexOfColumn(indexByColumn, column)]
  if (value === undefined) throw new Error(`The column ${column} is missing`)
  return value
}

/** Returns the index of a column. @throws Error if the rows have no such column. */
export function indexOfColumn(indexByColumn: SqlRow['indexByColumn'], column: string): number {
  const index = indexByColumn.get(column)
  if (index === undefined) throw new Error(`The column ${column} is missing`)
  return index
}

/**
 * Returns a reader that decodes a row only if its values have changed since a row with this key was last read. It is for rows
 * that every request reads and that rarely change: comparing the values of a client takes a tenth of the time of decoding
 * them. The records are frozen, because several requests get the same one.
 */
export function readIfChanged<Read extends object>(read: (row: SqlRow) => Read): (key: string, row: SqlRow) => Read {
  const latest = new Map<string, { readonly row: SqlRow; readonly record: Read }>()
  return (key, row) => {
    const known = latest.get(key)
    if (known !== undefined && hasSameValues(known.row, row)) return known.record
    const record = freezeDeeply(read(row))
    latest.set(key, { row, record })
    forgetOldest(latest, maxRecords)
    return record
  }
}

/** A record takes a few kilobytes, and at most about a hundred: strangers may register clients. */
const maxRecords = 250

function hasSameValues(one: SqlRow, other: SqlRow): boolean {
  if (one.indexByColumn !== other.indexByColumn) return false
  for (const index of one.indexByColumn.values()) if (one.values[index] !== other.values[index]) return false
  return true
}

function freezeDeeply<Of extends object>(object: Of): Of {
  for (const member of Object.values(object)) if (typeof member === 'object' && member !== null) freezeDeeply(member)
  return Object.freeze(object)
}

/** A table of which a statement returns whole rows, alone or joined with others. */
interface SelectedTable {
  /** The alias of the table in the statement. */
  readonly alias: string
  readonly columns: readonly string[]
}

/**
 * Returns the select list for a table: each column with the alias in its name. PostgreSQL cuts names after 63 bytes, and Cloudflare
 * allows 100 columns in a result; the largest join has about 60.
 */
export const selectColumns = ({ alias, columns }: SelectedTable): readonly AliasedRawBuilder<SqlValue, string>[] =>
  columns.map((column) => sql<SqlValue>`${sql.ref(`${alias}.${column}`)}`.as(`${alias}_${column}`))

/** Takes the table's row out of a row of the statement. If an outer join matched nothing, every value is NULL. */
export function takeColumns({ alias, columns }: SelectedTable): (row: SqlRow) => SqlRow {
  const ownColumns = oncePerStatement(
    (indexByColumn): SqlRow['indexByColumn'] =>
      new Map(columns.map((column) => [column, indexOfColumn(indexByColumn, `${alias}_${column}`)])),
  )
  return (row) => ({ indexByColumn: ownColumns(row), values: row.values })
}

/** Returns a function that computes a value from the columns of a statement, once for each of the statements whose rows it gets. */
export function oncePerStatement<Value extends object>(
  compute: (columns: SqlRow['indexByColumn']) => Value,
): (row: SqlRow) => Value {
  const computed = new WeakMap<SqlRow['indexByColumn'], Value>()
  return ({ indexByColumn }) => {
    const known = computed.get(indexByColumn)
    if (known !== undefined) return known
    const value = compute(indexByColumn)
    computed.set(indexByColumn, value)
    return value
  }
}

/** Reads typed values out of rows. Throws if a column is missing, or NULL where a value is required. */
export interface ColumnReader {
  readonly has: (row: SqlRow, column: string) => boolean
  readonly text: (row: SqlRow, column: string) => string
  readonly optionalText: (row: SqlRow, column: string) => string | undefined
  readonly integer: (row: SqlRow, column: string) => number
  readonly optionalInteger: (row: SqlRow, column: string) => number | undefined
  readonly flag: (row: SqlRow, column: string) => boolean
  /** The caller knows the type, which depends on the column. */
  readonly json: (row: SqlRow, column: string) => unknown
  readonly optionalJson: (row: SqlRow, column: string) => unknown
}

export const createColumnReader = (engine: SqlEngine): ColumnReader => ({
  has: (row, column) => optional(row, column) !== undefined,
  text: (row, column) => required(row, column) as string,
  optionalText: (row, column) => optional(row, column) as string | undefined,
  // A driver may return large integers as text.
  integer: (row, column) => Number(required(row, column)),
  optionalInteger: (row, column) => {
    const value = optional(row, column)
    return value === undefined ? undefined : Number(value)
  },
  flag: (row, column) => engine.decodeFlag(required(row, column)),
  json: (row, column) => JSON.parse(required(row, column) as string) as unknown,
  optionalJson: (row, column) => {
    const value = optional(row, column)
    return value === undefined ? undefined : (JSON.parse(value as string) as unknown)
  },
})

function required(row: SqlRow, column: string): unknown {
  const value = optional(row, column)
  if (value === undefined) throw new Error(`The column ${column} is NULL`)
  return value
}

const optional = (row: SqlRow, column: string): unknown => valueOf(row, column) ?? undefined

/**
 * Returns an index key for a string of any length: an index entry of PostgreSQL holds at most 2,704 bytes. Two keys are equal
 * exactly when their strings are.
 */
export const indexKey = (text: string): string =>
  text.length <= longest && !text.startsWith(digestPrefix) ? text : digestPrefix + hash('sha256', text, 'base64url')

/** Returns the key of a string that may be absent. */
export const indexKeyOrNull = (text: string | undefined): string | null => (text === undefined ? null : indexKey(text))

const longest = 200
const digestPrefix = 'sha256 '

/**
 * Whether a row that was found by its key belongs to the provider. It is an expression because a plain comparison would
 * make SQLite use the provider index and read every row of the provider.
 */
export const belongsToProvider = (p: Parameter<'provider_id'>): RawBuilder<boolean> =>
  sql`provider_id || '' = ${p('provider_id')}`

/** Whether a user that was found by its key has no provider. */
export const isWithoutProvider: RawBuilder<boolean> = sql`provider_id || '' is null`

/** Returns the versions at which a row may be changed, as a range: only the expected version, or any version. */
export const versionRange = (
  version: number | undefined,
): { readonly least_version: number; readonly greatest_version: number } => ({
  least_version: version ?? 0,
  greatest_version: version ?? Number.MAX_SAFE_INTEGER,
})

/** A query for a column of the rows that meet a condition. */
export const readRows: SqlEngine['keepRows'] = (column, table, where) =>
  sql`select ${sql.ref(column)} from ${sql.table(table)} where ${where}`
