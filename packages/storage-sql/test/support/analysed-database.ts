import type { SqlDialect } from '@mintmark/storage-sql'
import { byName } from './by-name.ts'
import { fillTable } from './fill-table.ts'
import { alikeColumns, hasFewRows } from './sqlite-plan.ts'

/** Fills the tables of a migrated SQLite database and runs `ANALYZE`, as a host may do. Its triggers are removed. */
export async function fillAndAnalyse(dialect: SqlDialect): Promise<void> {
  const triggers = byName(await dialect.all(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`, []))
  await dialect.atomically(triggers.map(({ name }) => `DROP TRIGGER ${String(name)}`))
  const tables = byName(
    await dialect.all(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'mintmark_*' AND name <> 'mintmark_migrations'`,
      [],
    ),
  )
  const filled = tables.map(({ name }) => String(name)).filter((name) => !hasFewRows.test(name))
  for (const name of filled) await fill(dialect, name)
  await dialect.atomically(['ANALYZE', 'ANALYZE sqlite_schema'])
}

async function fill(dialect: SqlDialect, table: string): Promise<void> {
  const rows = byName(await dialect.all(`SELECT name, type FROM pragma_table_info('${table}')`, []))
  const columns = rows.map(({ name, type }) => ({ name: String(name), type }))
  const values = columns.map(({ name, type }): readonly [string, string] => {
    if (/^(revoked|removed|consumed|disabled)_at$/.test(name)) return [name, 'CASE WHEN n % 20 = 0 THEN n END']
    if (alikeColumns.includes(name)) return [name, name === 'issuer' ? `'issuer'` : `n % 2`]
    return [name, type === 'INTEGER' ? 'n' : `'${name}-' || n`]
  })
  await fillTable(dialect, {
    table,
    columns: columns.map(({ name }) => name),
    rows: 2000,
    values: Object.fromEntries(values),
  })
}
