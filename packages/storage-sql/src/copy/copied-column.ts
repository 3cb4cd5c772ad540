import type { JsonValue } from '@mintmark/storage-interface'
import type { SqlValue } from '../dialect.ts'
import type { PostgresClient } from '../postgres/postgres-driver.ts'
import { encodeJson, encodeValue } from '../postgres/postgres-text.ts'

/** A column, and what a value of SQLite's is in it. */
export interface CopiedColumn {
  readonly name: string
  /** As PostgreSQL calls it. */
  readonly type: string
  readonly encode: (value: unknown) => SqlValue
}

/** The columns of a table of the target. */
export async function copiedColumns(table: string, client: PostgresClient): Promise<readonly CopiedColumn[]> {
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
