import type { SqlDialect } from '@mintmark/storage-sql'

/** The database of the project. */
export interface Database {
  /** For Mintmark's own tables. */
  readonly dialect: SqlDialect
  /** For your tables. */
  readonly tables: Tables
  close(): Promise<void>
}

/** Your tables. */
export interface Tables {
  /** Runs a statement. The values in it become parameters: tables.query`SELECT * FROM users WHERE subject = ${subject}`. */
  query(statement: TemplateStringsArray, ...values: readonly (string | number)[]): Promise<readonly Row[]>
  /** Creates a table unless it exists. `definition` follows the words CREATE TABLE IF NOT EXISTS. */
  create(definition: string): Promise<void>
}

export type Row = Readonly<Record<string, unknown>>
