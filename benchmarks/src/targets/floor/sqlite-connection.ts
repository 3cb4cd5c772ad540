import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

import type { GroupWrites, SqlConnection, SqlValue } from './sql-connection.ts'

export function sqliteConnection(path: string, groupWrites: GroupWrites | undefined): SqlConnection {
  const database = new DatabaseSync(path)
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY',
  )
  const runWrite = groupWrites?.(database)
  return {
    engine: 'sqlite',
    run: (sql) => database.exec(sql),
    rows: (sql) => {
      const statement = database.prepare(sql)
      return (...values) => statement.all(...values)
    },
    row: (sql) => {
      const statement = database.prepare(sql)
      return (...values) => statement.get(...values)
    },
    lists: (sql) => {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      // The engine's flags are numbers. The type of `all` does not reflect `setReturnArrays`.
      const run = (values: readonly SqlValue[]) =>
        statement.all(...(values as SQLInputValue[])) as unknown as readonly (readonly unknown[])[]
      const isWrite = /^(?:insert|update|delete) /.test(sql)
      return (...values) => (isWrite && runWrite !== undefined ? runWrite(() => run(values)) : run(values))
    },
  }
}
