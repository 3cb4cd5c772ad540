import type { SqlDialect } from '@mintmark/storage-sql'

/** The values of some columns, as SQL with the row's number `n`. The other columns get distinct strings or numbers. */
export type ColumnValues = Readonly<Record<string, string>>

/** Writes `rows` rows with one statement, which both engines understand. */
export async function fillTable(
  dialect: SqlDialect,
  {
    table,
    columns,
    rows,
    values,
  }: {
    readonly table: string
    readonly columns: readonly string[]
    readonly rows: number
    readonly values: ColumnValues
  },
): Promise<void> {
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
