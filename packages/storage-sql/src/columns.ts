import type { SqlEngine, SqlRow, SqlValue } from './dialect.ts'
import { valueOf } from './rows-by-place.ts'

/** Reads typed values out of rows. A column that is missing, or `NULL` where it must not be, throws: records are whole. */
export interface ColumnReader {
  readonly has: (row: SqlRow, column: string) => boolean
  readonly text: (row: SqlRow, column: string) => string
  readonly optionalText: (row: SqlRow, column: string) => string | undefined
  readonly integer: (row: SqlRow, column: string) => number
  readonly optionalInteger: (row: SqlRow, column: string) => number | undefined
  readonly flag: (row: SqlRow, column: string) => boolean
  /** Its type is known to the file that writes the column, which is the one that reads it. */
  readonly json: (row: SqlRow, column: string) => unknown
  readonly optionalJson: (row: SqlRow, column: string) => unknown
}

export const createColumnReader = (engine: SqlEngine): ColumnReader => ({
  has: (row, column) => optional(row, column) !== undefined,
  text: (row, column) => required(row, column) as string,
  optionalText: (row, column) => optional(row, column) as string | undefined,
  // A driver may hand out large integer types as text.
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
  if (value === undefined) throw new Error(`The column ${column} is empty`)
  return value
}

const optional = (row: SqlRow, column: string): unknown => valueOf(row, column) ?? undefined

/** A value that may be absent, as a column holds it. */
export const orNull = (value: SqlValue | undefined): SqlValue => value ?? null

/** A value as JSON text. */
export const json = (value: object): SqlValue => JSON.stringify(value)

/** A value that may be absent, as JSON text. */
export const jsonOrNull = (value: object | undefined): SqlValue => (value === undefined ? null : JSON.stringify(value))
