import type { SqlDialect } from '@mintmark/storage-sql'

/** The row to copy. */
export interface MultipliedRow {
  readonly table: string
  /** The condition that selects the row. */
  readonly where: string
  readonly rows: number
  /** The values that differ in the copies, by column: SQL expressions with the number `n` of the copy. */
  readonly change: Readonly<Record<string, string>>
}

/**
 * Returns the statement that inserts copies of an existing row, numbered from 1. A million copies take less than a
 * minute.
 */
export async function multiplyRow(dialect: SqlDialect, { table, where, rows, change }: MultipliedRow): Promise<string> {
  const [row] = await dialect.all(`SELECT * FROM ${table} WHERE ${where} LIMIT 1`, [])
  if (row === undefined) throw new Error(`There is no row in ${table} where ${where}.`)
  const columns = [...row.indexByColumn.keys()]
  return `INSERT INTO ${table} (${columns.join(', ')})
    WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${rows})
    SELECT ${columns.map((column) => change[column] ?? `template.${column}`).join(', ')}
    FROM series, (SELECT * FROM ${table} WHERE ${where} LIMIT 1) AS template`
}
