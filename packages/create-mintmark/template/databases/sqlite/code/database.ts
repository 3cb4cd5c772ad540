import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

import type { Database, Tables } from '#query'

/** Opens the files that MINTMARK_SQLITE and USERS_SQLITE name. They are created if they do not exist. */
export function openDatabase(environment: Readonly<Record<string, string | undefined>>): Database {
  const dialect = openSqliteDialect(environment['MINTMARK_SQLITE'] ?? 'mintmark.db')
  const tables = openTables(environment['USERS_SQLITE'] ?? 'users.db')
  return {
    dialect: { ...dialect, migrateCommand: 'npm run migrate' },
    tables,
    async close() {
      await dialect.close()
      tables.close()
    },
  }
}

/** Opens databases in memory, for tests. */
export const openTestDatabase = (): Database => openDatabase({ MINTMARK_SQLITE: ':memory:', USERS_SQLITE: ':memory:' })

/** Opens your own tables, in a file of their own. Only you can read a new file. */
export function openTables(file: string): Tables & { close(): void } {
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file)
  return {
    async query(statement, ...values) {
      return database.prepare(statement.join('?')).all(...values)
    },
    async create(definition) {
      database.exec(`CREATE TABLE IF NOT EXISTS ${definition}`)
    },
    close: () => database.close(),
  }
}
