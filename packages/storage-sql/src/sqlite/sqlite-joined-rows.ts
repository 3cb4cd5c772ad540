import { sql } from 'kysely'
import type { SqlJoinedRows, SqlValue } from '../dialect.ts'
import { placesOf } from '../rows-by-place.ts'

/** Each column by itself, those of a table in one row. */
export const sqliteJoinedRows: SqlJoinedRows = {
  select: ({ alias, columns }) =>
    columns.map((column) => sql<SqlValue>`${sql.ref(`${alias}.${column}`)}`.as(`${alias}_${column}`)),

  take: ({ alias, columns }) => {
    const places = placesOf(columns)
    const firstColumn = `${alias}_${String(columns[0])}`
    return (row) => {
      const first = row.places.get(firstColumn)
      if (first === undefined) throw new Error(`The column ${firstColumn} is missing`)
      return { places, values: row.values.slice(first, first + columns.length) }
    }
  },
}
