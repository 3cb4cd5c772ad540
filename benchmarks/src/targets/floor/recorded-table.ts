import type { Values } from './prepare-recorded.ts'
import type { RecordedStatement } from './recorded-statements.ts'

/** The columns of a table in the result of a recorded statement. */
export interface RecordedTable<Column extends string> {
  /** The indexes of the columns in the result of `valuesOf`. */
  readonly at: Readonly<Record<Column, number>>
  readonly valuesOf: (row: Values) => Values
}

/**
 * Finds the columns of a table in the result of a statement. In a join, PostgreSQL returns one JSON list for each
 * table. SQLite returns several JSON lists for a table with many columns, and names like `table_column` for other
 * tables.
 * @param table the alias of the table in the statement.
 * @throws Error if the table has no such column.
 */
export function recordedTable<Column extends string>(
  { sql, columns }: RecordedStatement,
  table: string,
  names: readonly Column[],
): RecordedTable<Column> {
  const lists = columns.filter((column) => column === table || new RegExp(`^${table}_list_\\d+$`).test(column))
  if (lists.length === 0) {
    const tableColumns = columns.map((column) =>
      column.startsWith(`${table}_`) ? column.slice(table.length + 1) : column,
    )
    return { at: indexesIn(tableColumns, names), valuesOf: (row) => row }
  }
  const tableColumns = lists.flatMap((list) => {
    const selected = new RegExp(`json_(?:build_)?array\\(([^)]*)\\)(?:::text)? as "${list}"`).exec(sql)?.[1] ?? ''
    return Array.from(selected.matchAll(/"\."(\w+)"/g), ([, column = '']) => column)
  })
  const listIndexes = lists.map((list) => columns.indexOf(list))
  return {
    at: indexesIn(tableColumns, names),
    valuesOf: (row) => listIndexes.flatMap((index) => JSON.parse(String(row[index])) as Values),
  }
}

/** Returns a value of the recorded row. @throws Error if the row has no such column. */
export function sampleOf(statement: RecordedStatement, table: string, column: string): string {
  const { at, valuesOf } = recordedTable(statement, table, [column])
  return String(valuesOf(statement.row)[at[column] ?? 0])
}

function indexesIn<Column extends string>(
  columns: readonly string[],
  names: readonly Column[],
): Readonly<Record<Column, number>> {
  const missing = names.find((column) => !columns.includes(column))
  if (missing !== undefined) throw new Error(`There is no column ${missing} among ${columns.join(', ')}.`)
  // The keys are the requested columns.
  return Object.fromEntries(names.map((column) => [column, columns.indexOf(column)])) as Record<Column, number>
}
