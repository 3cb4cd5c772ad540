import { sql } from 'kysely'
import type { SqlJoinedRows, SqlValue } from '../dialect.ts'
import { placesOf, valueOf } from '../rows-by-place.ts'
import { decodeValue } from './postgres-text.ts'

/**
 * One column for each table, a JSON list: the server tells name and type of every column with every answer, which takes the
 * driver longer to read than 52 values.
 */
export const postgresJoinedRows: SqlJoinedRows = {
  select: ({ alias, columns }) => {
    const values = sql.join(columns.map((column) => sql.ref(`${alias}.${column}`)))
    return [sql<SqlValue>`json_build_array(${values})::text`.as(alias)]
  },

  take: ({ alias, columns }) => {
    const places = placesOf(columns)
    return (row) => {
      const values = JSON.parse(valueOf(row, alias) as string) as readonly unknown[]
      return { places, values: values.map(decodeValue) }
    }
  },
}
