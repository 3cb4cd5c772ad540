import type { JsonValue } from '@mintmark/storage-interface'
import { migrationTable } from '../../migrate.ts'
import { giveBack, type PostgresClient, type PostgresPool, takeConnection } from '../../postgres/connection.ts'
import { decodeJson, decodeText, encodeJson, encodeValue } from '../../postgres/text.ts'
import { MigrateCommandError } from '../migrate-command-error.ts'
import {
  type CopiedColumns,
  type CopiedRow,
  type CopiedValue,
  type CopySource,
  type CopyTarget,
  notEmpty,
  insertStatement,
} from './copied-rows.ts'

/** Reads a PostgreSQL database. */
export async function postgresSource(pool: PostgresPool): Promise<CopySource> {
  const client = await takeConnection(pool)
  await client.query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY' })
  return {
    async tables() {
      const rows = await lists(
        client,
        `SELECT tablename FROM pg_tables
WHERE schemaname = current_schema AND starts_with(tablename, 'mintmark_') AND tablename <> $1 ORDER BY tablename`,
        [migrationTable],
      )
      return rows.map(([name]) => String(name))
    },

    async *rows({ table, columns }): AsyncIterable<CopiedRow> {
      const types = await typesOf(client, table)
      const converted = columns.map((name) => decoderOf(types.get(name) ?? ''))
      await client.query({
        text: `DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns.map(asText).join(', ')} FROM ${table}`,
      })
      for (;;) {
        const rows = await lists(client, `FETCH ${fetchedRows} FROM copied`)
        for (const row of rows) yield row.map((value, index) => converted[index]?.(value) ?? null)
        if (rows.length < fetchedRows) break
      }
      await client.query({ text: 'CLOSE copied' })
    },

    close: () => giveBack(client, { isSound: false }),
  }
}

const fetchedRows = 200

const asText = (column: string): string => `${column}::text`

/** Returns how the text of a value of this type becomes the value of SQLite. */
function decoderOf(type: string): (value: unknown) => CopiedValue {
  const decode = decoders[type] ?? decodeText
  return (value) => (typeof value === 'string' ? decode(value) : null)
}

const decoders: Readonly<Record<string, (text: string) => CopiedValue>> = {
  bigint: Number,
  integer: Number,
  boolean: (text) => (text === 'true' ? 1 : 0),
  jsonb: (text) => JSON.stringify(decodeJson(text)),
}

/** Writes to a PostgreSQL database that has the schema. */
export async function postgresTarget(pool: PostgresPool): Promise<CopyTarget> {
  const client = await takeConnection(pool)
  const tables = new Map<string, readonly string[]>()
  let isSound = false
  await client.query({ text: 'BEGIN' })
  return {
    async prepare(table) {
      // The statement also locks the table against other writers.
      await client.query({ text: `ALTER TABLE ${table} DISABLE TRIGGER USER` })
      const { rows } = await client.query({ text: `SELECT FROM ${table} LIMIT 1` })
      if (rows.length > 0) throw new MigrateCommandError(notEmpty(table))
      const types = await typesOf(client, table)
      tables.set(table, [...types.values()])
      return { table, columns: [...types.keys()] }
    },

    insert: (into, rows) => insert(client, { into, types: tables.get(into.table) ?? [], rows }),

    async commit() {
      for (const table of tables.keys()) await client.query({ text: `ALTER TABLE ${table} ENABLE TRIGGER USER` })
      await client.query({ text: continueNumbers })
      await client.query({ text: 'COMMIT' })
      isSound = true
    },

    // Closing the connection rolls the transaction back, whatever its state.
    close: () => giveBack(client, { isSound }),
  }
}

/** A new change gets a number after those of the copied changes. */
const continueNumbers = `SELECT setval('mintmark_change_numbers', max(sequence)) FROM mintmark_changes HAVING max(sequence) > 0`

async function insert(
  client: PostgresClient,
  {
    into,
    types,
    rows,
  }: { readonly into: CopiedColumns; readonly types: readonly string[]; readonly rows: readonly CopiedRow[] },
): Promise<void> {
  await client.query({
    text: insertStatement(into, rows.length, (index, column) => `$${index + 1}::${types[column]}`),
    values: rows.flatMap((row) => row.map((value, column) => encode(value, types[column]))),
  })
}

/** JSONB is text in a copy; the cast is safe, because this package has written the JSON. PostgreSQL reads 0 and 1 as booleans. */
const encode = (value: CopiedValue, type: string | undefined): CopiedValue | boolean =>
  type === 'jsonb' && typeof value === 'string' ? encodeJson(JSON.parse(value) as JsonValue) : encodeValue(value)

/** Returns the names of the columns, with their types. */
async function typesOf(client: PostgresClient, table: string): Promise<ReadonlyMap<string, string>> {
  const rows = await lists(
    client,
    `SELECT attname, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  )
  return new Map(rows.map(([name, type]) => [String(name), String(type)]))
}

async function lists(
  client: PostgresClient,
  text: string,
  values: unknown[] = [],
): Promise<readonly (readonly unknown[])[]> {
  const { rows } = await client.query({ text, values, rowMode: 'array' })
  return rows as readonly (readonly unknown[])[]
}
