import { DatabaseSync } from 'node:sqlite'
import type { JsonValue } from '@mintmark/storage-interface'
import { CommandRefused } from './target.ts'
import type { SqlValue } from '../dialect.ts'
import { migrationTable } from '../migrate.ts'
import { giveBack, type PostgresClient, type PostgresPool, takeConnection } from '../postgres/connection.ts'
import { encodeJson, encodeValue } from '../postgres/text.ts'

/** What was copied. */
interface CopiedTable {
  readonly name: string
  readonly rows: number
}

/**
 * Copies everything that a SQLite file holds to an empty PostgreSQL database, in one transaction: all of it or nothing. Both have the schema of
 * this version. What is written to the file while it is read is not copied.
 * @throws CommandRefused when the target is not empty; nothing was written.
 */
export async function copyToPostgres({
  file,
  pool,
}: {
  readonly file: string
  readonly pool: PostgresPool
}): Promise<readonly CopiedTable[]> {
  const source = new DatabaseSync(file, { readOnly: true })
  const client = await takeConnection(pool)
  let isSound = false
  try {
    source.exec('BEGIN')
    await client.query({ text: 'BEGIN' })
    const copied: CopiedTable[] = []
    for (const name of tablesOf(source)) copied.push({ name, rows: await copyTable(name, source, client) })
    await client.query({ text: 'COMMIT' })
    isSound = true
    return copied
  } finally {
    // Ending the connection undoes the transaction, whatever state it is in.
    giveBack(client, { isSound })
    source.close()
  }
}

const tablesOf = (source: DatabaseSync): readonly string[] =>
  source
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'mintmark_*' AND name <> ? ORDER BY name`,
    )
    .all(migrationTable)
    .map(({ name }) => String(name))

/** @returns how many rows it had. */
async function copyTable(table: string, source: DatabaseSync, client: PostgresClient): Promise<number> {
  // What triggers would write, such as totals, is copied too: it would be there twice. And from here on nobody else writes to the table.
  await client.query({ text: `ALTER TABLE ${table} DISABLE TRIGGER USER` })
  const { rows: present } = await client.query({ text: `SELECT FROM ${table} LIMIT 1` })
  if (present.length > 0) throw new CommandRefused(`The target is not empty: ${table} has rows`)
  const columns = await copiedColumns(table, client)

  let count = 0
  let batch: unknown[] = []
  for (const row of source.prepare(`SELECT * FROM ${table}`).iterate()) {
    batch.push(...columns.map(({ name, encode }) => encode(row[name] ?? null)))
    count += 1
    if (batch.length >= maximumValues - columns.length) {
      await insert(table, columns, { batch, client })
      batch = []
    }
  }
  if (batch.length > 0) await insert(table, columns, { batch, client })
  await client.query({ text: `ALTER TABLE ${table} ENABLE TRIGGER USER` })
  return count
}

async function insert(
  table: string,
  columns: readonly CopiedColumn[],
  { batch, client }: { readonly batch: unknown[]; readonly client: PostgresClient },
): Promise<void> {
  const names = columns.map(({ name }) => name).join(', ')
  const rows = Array.from({ length: batch.length / columns.length }, (_, row) => {
    const values = columns.map(({ type }, column) => `$${row * columns.length + column + 1}::${type}`)
    return `(${values.join(', ')})`
  })
  await client.query({ text: `INSERT INTO ${table} (${names}) VALUES ${rows.join(', ')}`, values: batch })
}

/** PostgreSQL takes 65535 in one statement; far fewer are as quick. */
const maximumValues = 5000

/** A column, and what a value of SQLite's is in it. */
interface CopiedColumn {
  readonly name: string
  /** As PostgreSQL calls it. */
  readonly type: string
  readonly encode: (value: unknown) => SqlValue
}

/** The columns of a table of the target. */
async function copiedColumns(table: string, client: PostgresClient): Promise<readonly CopiedColumn[]> {
  const text = `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`
  const { rows } = await client.query({ text, values: [table], rowMode: 'array' })
  return (rows as readonly (readonly unknown[])[]).map(([name, type]) => ({
    name: String(name),
    type: String(type),
    encode: encoderOf(String(type)),
  }))
}

function encoderOf(type: string): CopiedColumn['encode'] {
  // SQLite has no truth values, and no JSON but text.
  if (type === 'boolean') return (value) => (value === null ? null : value === 1)
  // The cast says what the column holds: JSON that this package has written.
  if (type === 'jsonb')
    return (value) => (typeof value === 'string' ? encodeJson(JSON.parse(value) as JsonValue) : null)
  return (value) => {
    if (value === null || typeof value === 'string' || typeof value === 'number') return encodeValue(value)
    throw new TypeError(`A column of the type ${type} cannot hold a ${typeof value}.`)
  }
}
