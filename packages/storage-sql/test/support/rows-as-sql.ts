import { DatabaseSync } from 'node:sqlite'
import type { Pool } from 'pg'

/** Returns every row of a SQLite file as INSERT statements, except the list of migrations, which has the time of each. */
export function sqliteRowsAsSql(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'mintmark_*' AND name <> 'mintmark_migrations' ORDER BY name`,
      )
      .all()
    return tables.flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM ${String(name)}`)
        .all()
        .map((row) => insertOf(String(name), row, quoteForSqlite))
        .toSorted(),
    )
  } finally {
    database.close()
  }
}

/** Like `sqliteRowsAsSql`, for a PostgreSQL schema, with the text of each value. */
export async function postgresRowsAsSql(pool: Pool): Promise<readonly string[]> {
  const { rows: columns } = await pool.query<{ readonly table: string; readonly columns: string }>(
    `SELECT table_name AS table, string_agg(quote_ident(column_name) || '::text', ', ' ORDER BY ordinal_position) AS columns
     FROM information_schema.columns WHERE table_schema = current_schema() AND table_name LIKE 'mintmark%' AND table_name <> 'mintmark_migrations'
     GROUP BY table_name ORDER BY table_name COLLATE "C"`,
  )
  const statements: string[] = []
  for (const { table, columns: list } of columns) {
    const { rows } = await pool.query<Readonly<Record<string, unknown>>>(`SELECT ${list} FROM ${table}`)
    statements.push(...rows.map((row) => insertOf(table, row, quoteForPostgres)).toSorted())
  }
  return statements
}

function insertOf(table: string, row: Readonly<Record<string, unknown>>, quote: (value: unknown) => string): string {
  const values = Object.values(row).map(quote)
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')});`
}

function quoteForSqlite(value: unknown): string {
  if (value === null) return 'NULL'
  if (typeof value !== 'string') return `${value as number}`
  return isPlain(value) ? quote(value) : `CAST(X'${Buffer.from(value).toString('hex')}' AS TEXT)`
}

function quoteForPostgres(value: unknown): string {
  if (value === null) return 'NULL'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (isPlain(text)) return quote(text)
  const escaped = text.replaceAll('\\', String.raw`\\`).replaceAll(control, (each) => escapeOf(each))
  return `E${quote(escaped)}`
}

// oxlint-disable-next-line no-control-regex -- the expression looks for control characters
const control = /[\0-\u001F]/g
const isPlain = (text: string): boolean => text.search(control) < 0
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`
const escapeOf = (each: string): string => String.raw`\u` + each.charCodeAt(0).toString(16).padStart(4, '0')
