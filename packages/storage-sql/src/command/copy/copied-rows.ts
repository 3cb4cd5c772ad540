/**
 * A value in the form in which SQLite stores it: JSON is text, and a flag is 0 or 1. Every copy passes through this form, so that
 * each engine converts only to and from it.
 */
export type CopiedValue = string | number | null

/** The values of a row, in the order of the columns. */
export type CopiedRow = readonly CopiedValue[]

/** A table with its columns. */
export interface CopiedColumns {
  readonly table: string
  readonly columns: readonly string[]
}

/** A database that is read in one transaction, so that all tables are from the same moment. */
export interface CopySource {
  tables(): Promise<readonly string[]>
  rows(of: CopiedColumns): AsyncIterable<CopiedRow> | Iterable<CopiedRow>
  close(): void | Promise<void>
}

/** A database that is written in one transaction. */
export interface CopyTarget {
  /**
   * Keeps other writers and triggers away from the table until the transaction ends. Rows that triggers write, such as totals,
   * are copied as well and would exist twice.
   * @throws MigrateCommandError if the table has rows.
   */
  prepare(table: string): Promise<CopiedColumns>
  insert(into: CopiedColumns, rows: readonly CopiedRow[]): Promise<void>
  commit(): Promise<void>
  /** Undoes what was not committed. */
  close(): void | Promise<void>
}

/** A copied table. */
export interface CopiedTable {
  readonly name: string
  readonly rows: number
}

/** Copies all rows, or none. @throws MigrateCommandError if the target is not empty. */
export async function copyRows(source: CopySource, target: CopyTarget): Promise<readonly CopiedTable[]> {
  const tables: CopiedColumns[] = []
  for (const name of await source.tables()) tables.push(await target.prepare(name))
  const copied: CopiedTable[] = []
  for (const each of tables) copied.push({ name: each.table, rows: await copyTable(each, source, target) })
  await target.commit()
  return copied
}

/** @returns the number of rows. */
async function copyTable(of: CopiedColumns, source: CopySource, target: CopyTarget): Promise<number> {
  let count = 0
  let batch: CopiedRow[] = []
  let length = 0
  const limit = Math.floor(maximumValues / of.columns.length)
  for await (const row of source.rows(of)) {
    count += 1
    batch.push(row)
    length += lengthOf(row)
    if (batch.length >= limit || length > maximumLength) {
      await target.insert(of, batch)
      batch = []
      length = 0
    }
  }
  if (batch.length > 0) await target.insert(of, batch)
  return count
}

const lengthOf = (row: CopiedRow): number =>
  row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)

/** PostgreSQL and MariaDB allow 65535 values in one statement. Far smaller batches are as fast. */
const maximumValues = 5000

/** In characters. MariaDB refuses a statement of more than 16 MB. */
const maximumLength = 1_000_000

/** The sentence for a target whose table has rows. */
export const notEmpty = (table: string): string => `The target is not empty: ${table} has rows`

/** Returns a statement that inserts rows, such as `INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4)`. */
export function insertStatement(
  { table, columns }: CopiedColumns,
  count: number,
  parameter: (index: number, column: number) => string = () => '?',
): string {
  const rows = Array.from({ length: count }, (_, row) => {
    const values = columns.map((_name, column) => parameter(row * columns.length + column, column))
    return `(${values.join(', ')})`
  })
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.join(', ')}`
}
