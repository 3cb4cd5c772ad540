import type { SqlDialect } from '@mintmark/storage-sql'
import type { SqlValue } from '../../src/dialect.ts'
import { byName } from './by-name.ts'

/**
 * Copies the rows of a table that contain a label, once for each other label, with that label in its place. It takes a
 * fraction of the time that the store takes to write as many records.
 */
export async function copyRows(
  dialect: SqlDialect,
  table: string,
  { label, labels }: { readonly label: string; readonly labels: readonly string[] },
): Promise<void> {
  const templates = byName(await dialect.all(`SELECT * FROM ${table}`, []))
    .map((row) => Object.entries(row).map(([column, value]) => [column, toSqlValue(value)] as const))
    .filter((row) => row.some(([, value]) => String(value).includes(label)))
  const columns = templates[0]?.map(([column]) => column) ?? []
  const rows = labels.flatMap((other) =>
    templates.map((row) =>
      row.map(([, value]) => (typeof value === 'string' ? value.replaceAll(label, other) : value)),
    ),
  )

  // Larger statements would exceed the number of parameters that the engines allow.
  for (let start = 0; start < rows.length; start += 250) {
    const slice = rows.slice(start, start + 250)
    await dialect.all(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${placeholders(dialect, slice)}`,
      slice.flat(),
      {
        lifetime: 'passing',
      },
    )
  }
}

function placeholders({ engine }: SqlDialect, rows: readonly (readonly SqlValue[])[]): string {
  let count = 0
  const placeholder = (): string => (engine.name === 'postgres' ? `$${(count += 1)}` : '?')
  return rows.map((row) => `(${row.map(placeholder).join(', ')})`).join(', ')
}

/** The driver of PostgreSQL returns JSON as objects. */
const toSqlValue = (value: unknown): SqlValue =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue)
