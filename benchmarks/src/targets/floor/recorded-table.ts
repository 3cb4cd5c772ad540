import type { Values } from './by-hand.ts'
import type { RecordedStatement } from './recorded-statements.ts'

/** The data about a table in a recorded statement. */
export interface RecordedTable<Column extends string> {
  /** The indexes of columns in `valuesOf`. */
  readonly at: Readonly<Record<Column, number>>
  readonly valuesOf: (row: Values) => Values
}

/**
 * Finds columns of a table. In a join of several tables, PostgreSQL returns one column with a JSON list. SQLite returns several
 * of them for a table with many columns, and names the columns of another after both.
 * @param table its alias in the statement.
 * @throws Error when it has no such column.
 */
export function recordedTable<Column extends string>(
  { sql, columns }: RecordedStatement,
  table: string,
  wanted: readonly Column[],
): RecordedTable<Column> {
  const lists = columns.filter((column) => column === table || new RegExp(`^${table}_list_\\d+$`).test(column))
  if (lists.length === 0) {
    const own = columns.map((column) => (column.startsWith(`${table}_`) ? column.slice(table.length + 1) : column))
    return { at: placesAmong(own, wanted), valuesOf: (row) => row }
  }
  const own = lists.flatMap((list) => {
    const selected = new RegExp(`json_(?:build_)?array\\(([^)]*)\\)(?:::text)? as "${list}"`).exec(sql)?.[1] ?? ''
    return Array.from(selected.matchAll(/"\."(\w+)"/g), ([, column = '']) => column)
  })
  const places = lists.map((list) => columns.indexOf(list))
  return {
    at: placesAmong(own, wanted),
    valuesOf: (row) => places.flatMap((place) => JSON.parse(String(row[place])) as Values),
  }
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
