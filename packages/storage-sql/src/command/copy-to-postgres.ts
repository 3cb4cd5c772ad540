import { DatabaseSync } from 'node:sqlite'
import type { JsonValue } from '@mintmark/storage-interface'
import { MigrateCommandError } from './target.ts'
import type { SqlValue } from '../dialect.ts'
import { migrationTable } from '../migrate.ts'
import { giveBack, type PostgresClient, type PostgresPool, takeConnection } from '../postgres/connection.ts'
import { encodeJson, encodeValue } from '../postgres/text.ts'

/** A copied table. */
export interface CopiedTable {
  readonly name: string
  readonly rows: number
}

/**
 * Copies everything in a SQLite file to an empty PostgreSQL database, in one transaction. Both have the schema of this
 * version. Writes to the file during the copy are not copied.
 * @throws MigrateCommandError if the target is not empty; nothing was written.
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
    // Closing the connection rolls the transaction back, whatever its state.
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

/** @returns the number of rows. */
async function copyTable(table: string, source: DatabaseSync, client: PostgresClient): Promise<number> {
  // Rows that triggers write, such as totals, are copied as well and would exist twice. The statement also locks the
  // table against other writers.
  await client.query({ text: `ALTER TABLE ${table} DISABLE TRIGGER USER` })
  const { rows: existing } = await client.query({ text: `SELECT FROM ${table} LIMIT 1` })
  if (existing.length > 0) throw new MigrateCommandError(`The target is not empty: ${table} has rows`)
  const columns = await copiedColumns(table, client)

  let count = 0
  let batch: unknown[] = []
  for (const row of source.prepare(`SELECT * FROM ${table}`).iterate()) {
    batch.push(...columns.map(({ name, encode }) => encode(row[name] ?? null)))
    count += 1
    if (batch.length + columns.length > maximumValues) {
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

/** PostgreSQL allows 65535 values in one statement. Far smaller batches are as fast. */
const maximumValues = 5000

/** A column, and the conversion of a value from SQLite. */
interface CopiedColumn {
  readonly name: string
  /** The type's name in PostgreSQL. */
  readonly type: string
  readonly encode: (value: unknown) => SqlValue
}

/** Returns the columns of a table of the target. */
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
  // In SQLite, JSON is text, and booleans are 0 and 1, which PostgreSQL reads as booleans. The cast is safe: this package has
  // written the JSON.
  if (type === 'jsonb')
    return (value) => (typeof value === 'string' ? encodeJson(JSON.parse(value) as JsonValue) : null)
  return (value) => {
    if (value === null || typeof value === 'string' || typeof value === 'number') return encodeValue(value)
    throw new TypeError(`A column of the type ${type} cannot hold a ${typeof value}.`)
  }
}
