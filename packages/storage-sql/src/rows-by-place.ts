import type { SqlRow } from './dialect.ts'

/** Where each column stands. @param columns their names, in the order of the values. */
export const placesOf = (columns: readonly string[]): SqlRow['places'] =>
  new Map(columns.map((column, place) => [column, place]))

/** Rows of a driver that gives each value by the name of its column, in one order in all of them. */
export function rowsByPlace(rows: readonly Readonly<Record<string, unknown>>[]): readonly SqlRow[] {
  const [first] = rows
  if (first === undefined) return []
  const places = placesOf(Object.keys(first))
  return rows.map((row) => ({ places, values: Object.values(row) }))
}

/** The value of a column, `null` where it is NULL. @throws Error when the row has no such column. */
export function valueOf({ places, values }: SqlRow, column: string): unknown {
  const place = places.get(column)
  const value = place === undefined ? undefined : values[place]
  if (value === undefined) throw new Error(`The column ${column} is missing`)
  return value
}
