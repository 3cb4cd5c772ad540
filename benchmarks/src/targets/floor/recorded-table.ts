import type { Values } from './by-hand.ts'
import type { RecordedStatement } from './recorded-statements.ts'

/** The data about a table in a recorded statement. */
export interface RecordedTable<Column extends string> {
  /** The indexes of columns in `valuesOf`. */
  readonly at: Readonly<Record<Column, number>>
  readonly valuesOf: (row: Values) => Values
}

/**
 * Finds columns of a table. In a join of several tables, SQLite names columns after both, and PostgreSQL returns one
 * column with a JSON list.
 * @param table its alias in the statement.
 * @throws Error when it has no such column.
 */
export function recordedTable<Column extends string>(
  { sql, columns }: RecordedStatement,
  table: string,
  wanted: readonly Column[],
): RecordedTable<Column> {
  const place = columns.indexOf(table)
  if (place === -1) {
    const own = columns.map((column) => (column.startsWith(`${table}_`) ? column.slice(table.length + 1) : column))
    return { at: placesAmong(own, wanted), valuesOf: (row) => row }
  }
  const list = new RegExp(`json_build_array\\(([^)]*)\\)::text as "${table}"`).exec(sql)?.[1] ?? ''
  const own = Array.from(list.matchAll(/"\."(\w+)"/g), ([, column = '']) => column)
  return { at: placesAmong(own, wanted), valuesOf: (row) => JSON.parse(String(row[place])) as Values }
}

/** A value of the recorded row. @throws Error when it has no such column. */
export function sampleOf(statement: RecordedStatement, table: string, column: string): string {
  const { at, valuesOf } = recordedTable(statement, table, [column])
  return String(valuesOf(statement.row)[at[column] ?? 0])
}

function placesAmong<Column extends string>(
  columns: readonly string[],
  wanted: readonly Column[],
): Readonly<Record<Column, number>> {
  const missing = wanted.find((column) => !columns.includes(column))
  if (missing !== undefined) throw new Error(`There is no ${missing} among ${columns.join(', ')}`)
  // The keys are the requested columns.
  return Object.fromEntries(wanted.map((column) => [column, columns.indexOf(column)])) as Record<Column, number>
}
