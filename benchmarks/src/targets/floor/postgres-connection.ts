import { Pool } from 'pg'

import { andThen } from '../later.ts'
import type { SqlConnection, SqlRow } from './sql-connection.ts'

export function postgresConnection(connectionString: string | undefined): SqlConnection {
  const pool = new Pool({ connectionString })
  let statements = 0
  const nextName = (): string => `statement ${(statements += 1)}`

  const rows: SqlConnection['rows'] = (sql) => {
    let parameters = 0
    const text = sql.replaceAll('?', () => `$${(parameters += 1)}`)
    const name = nextName()
    return async (...values) => (await pool.query<SqlRow>({ name, text, values })).rows
  }
  return {
    engine: 'postgres',
    run: async (sql) => pool.query(sql),
    rows,
    row: (sql) => {
      const all = rows(sql)
      return (...values) => andThen(all(...values), ([first]) => first)
    },
    lists: (text) => {
      const name = nextName()
      return async (...values) => (await pool.query<unknown[]>({ name, text, values, rowMode: 'array' })).rows
    },
  }
}
