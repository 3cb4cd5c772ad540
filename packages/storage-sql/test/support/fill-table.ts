import type { SqlDialect } from '@mintmark/storage-sql'

/** Columns whose values matter, as SQL over the row's number `n`; the others get a text or number of their own. */
export type ColumnValues = Readonly<Record<string, string>>

/** Writes as many rows by one statement, which both engines understand. */
export async function fillTable(
  dialect: SqlDialect,
  given: {
    readonly table: string
    readonly columns: readonly string[]
    readonly rows: number
    readonly values: ColumnValues
  },
): Promise<void> {
  const { table, columns, rows, values } = given
  const expressions = columns.map((column) => values[column] ?? defaultValue(column))
  await dialect.atomically([
    `INSERT INTO ${table} (${columns.join(', ')})
     WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${rows})
     SELECT ${expressions.join(', ')} FROM series`,
  ])
}

function defaultValue(column: string): string {
  if (/(_at|^version|^generation|_generation|_time|^ordinal|_max_age)$/.test(column)) return 'n'
  return `'${column}-' || n`
}
