import type { Values } from './by-hand.ts'
import type { RecordedStatement } from './recorded-statements.ts'

/** What a recorded statement says of a table. */
export interface RecordedTable<Column extends string> {
  /** Where columns stand among `valuesOf`. */
  readonly at: Readonly<Record<Column, number>>
  readonly valuesOf: (row: Values) => Values
}

/**
 * Finds columns of a table: where several tables are joined they are named after both on SQLite, and are together one column on
 * PostgreSQL, a JSON list.
 * @param table as the statement calls it.
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

/** A value of the row that a statement was recorded with. @throws Error when it had no such column. */
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
  // The keys are the columns wanted.
  return Object.fromEntries(wanted.map((column) => [column, columns.indexOf(column)])) as Record<Column, number>
}
