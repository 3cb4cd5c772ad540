import { DatabaseSync } from 'node:sqlite'
import { migrationTable } from '../../migrate.ts'
import { MigrateCommandError } from '../migrate-command-error.ts'
import {
  type CopiedRow,
  type CopiedValue,
  type CopySource,
  type CopyTarget,
  notEmpty,
  insertStatement,
} from './copied-rows.ts'

/** Reads an SQLite file. */
export function sqliteSource(file: string): CopySource {
  const database = new DatabaseSync(file, { readOnly: true })
  database.exec('BEGIN')
  return {
    tables: async () =>
      database
        .prepare(
          `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'mintmark_*' AND name <> ? ORDER BY name`,
        )
        .all(migrationTable)
        .map(({ name }) => String(name)),

    *rows({ table, columns }): Iterable<CopiedRow> {
      for (const row of database.prepare(`SELECT ${columns.join(', ')} FROM ${table}`).iterate())
        yield columns.map((column) => copiedValue(row[column]))
    },

    close: () => database.close(),
  }
}

function copiedValue(value: unknown): CopiedValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`A column of SQLite cannot hold a ${typeof value}.`)
}

/** Writes to an SQLite file that has the schema. SQLite cannot disable a trigger, so they are removed until the copy is complete. */
export function sqliteTarget(file: string): CopyTarget {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
  const removed: string[] = []
  return {
    async prepare(table) {
      if (database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined)
        throw new MigrateCommandError(notEmpty(table))
      const triggers = database.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`)
      for (const { name, sql } of triggers.all(table)) {
        database.exec(`DROP TRIGGER ${String(name)}`)
        removed.push(String(sql))
      }
      const columns = database.prepare(`SELECT name FROM pragma_table_info(?)`).all(table)
      return { table, columns: columns.map(({ name }) => String(name)) }
    },

    async insert(into, rows) {
      database.prepare(insertStatement(into, rows.length)).run(...rows.flat())
    },

    async commit() {
      for (const trigger of removed) database.exec(trigger)
      database.exec('COMMIT')
    },

    close: () => database.close(),
  }
}
