import { type MariadbConnection, type MariadbPool, send, takeConnection } from '../../mariadb/connection.ts'
import { copyingVariable } from '../../mariadb/engine.ts'
import { prepareSession } from '../../mariadb/session.ts'
import { migrationTable } from '../../migrate.ts'
import { MigrateCommandError } from '../migrate-command-error.ts'
import {
  type CopiedRow,
  type CopiedValue,
  type CopySource,
  type CopyTarget,
  notEmpty,
  insertStatement,
} from './copied-rows.ts'

/** Reads a MariaDB database. */
export async function mariadbSource(pool: MariadbPool): Promise<CopySource> {
  const connection = await begin(pool, 'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
  return {
    async tables() {
      const { rows } = await send(
        connection,
        `SELECT table_name FROM information_schema.tables
WHERE table_schema = database() AND table_type = 'BASE TABLE' AND table_name LIKE 'mintmark\\_%' AND table_name <> ? ORDER BY table_name`,
        [migrationTable],
      )
      return rows.map(([name]) => String(name))
    },

    async *rows({ table, columns }): AsyncIterable<CopiedRow> {
      const key = await primaryKeyOf(connection, table)
      const places = key.map((name) => columns.indexOf(name))
      const order = `ORDER BY ${key.join(', ')} LIMIT ${readRows}`
      let after: readonly unknown[] | undefined
      for (;;) {
        const { condition, values } = after === undefined ? { condition: 'true', values: [] } : beyond(key, after)
        const text = `SELECT ${columns.join(', ')} FROM ${table} WHERE ${condition} ${order}`
        const { rows } = await send(connection, text, values)
        for (const row of rows) yield row.map(copiedValue)
        const last = rows.at(-1)
        if (last === undefined || rows.length < readRows) return
        after = places.map((place) => last[place])
      }
    },

    close: () => connection.destroy(),
  }
}

const readRows = 500

/** A condition for the rows after one of the key: for `(a, b) > (?, ?)`, MariaDB would begin at the start of the index. */
function beyond(key: readonly string[], after: readonly unknown[]): { condition: string; values: readonly unknown[] } {
  return key.reduceRight<{ condition: string; values: readonly unknown[] }>(
    ({ condition, values }, column, place) => ({
      condition: `(${column} > ? OR (${column} = ? AND ${condition}))`,
      values: [after[place], after[place], ...values],
    }),
    { condition: 'false', values: [] },
  )
}

async function primaryKeyOf(connection: MariadbConnection, table: string): Promise<readonly string[]> {
  const { rows } = await send(
    connection,
    `SELECT column_name FROM information_schema.statistics
WHERE table_schema = database() AND table_name = ? AND index_name = 'PRIMARY' ORDER BY seq_in_index`,
    [table],
  )
  return rows.map(([name]) => String(name))
}

/** Keys are binary strings, whose values the driver returns as buffers. */
function copiedValue(value: unknown): CopiedValue {
  if (Buffer.isBuffer(value)) return value.toString('utf8')
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError(`A column of MariaDB cannot hold a ${typeof value}.`)
}

/** Writes to a MariaDB database that has the schema. */
export async function mariadbTarget(pool: MariadbPool): Promise<CopyTarget> {
  // SERIALIZABLE: the search for a row also locks the space in which another transaction could insert one.
  const connection = await begin(pool, 'START TRANSACTION', 'SERIALIZABLE')
  await send(connection, `SET ${copyingVariable} = 1`)
  return {
    async prepare(table) {
      const { rows } = await send(connection, `SELECT 1 FROM ${table} LIMIT 1 FOR UPDATE`)
      if (rows.length > 0) throw new MigrateCommandError(notEmpty(table))
      const { rows: columns } = await send(
        connection,
        `SELECT column_name FROM information_schema.columns
WHERE table_schema = database() AND table_name = ? AND is_generated = 'NEVER' ORDER BY ordinal_position`,
        [table],
      )
      return { table, columns: columns.map(([name]) => String(name)) }
    },

    async insert(into, rows) {
      try {
        await send(connection, insertStatement(into, rows.length), rows.flat())
      } catch (error) {
        throw tooLong(error, into.table) ?? error
      }
    },

    async commit() {
      const { rows } = await send(connection, 'SELECT max(sequence) FROM mintmark_changes')
      // A new change gets a number after those of the copied changes.
      const [[last] = []] = rows
      if (typeof last === 'number') await send(connection, `SELECT setval(mintmark_change_numbers, ${last})`)
      await send(connection, 'COMMIT')
    },

    // Closing the connection rolls the transaction back, whatever its state, and forgets the variable.
    close: () => connection.destroy(),
  }
}

async function begin(pool: MariadbPool, start: string, isolation = 'REPEATABLE READ'): Promise<MariadbConnection> {
  const connection = await takeConnection(pool, timeoutMilliseconds)
  try {
    await prepareSession(connection, timeoutMilliseconds)
    await send(connection, `SET TRANSACTION ISOLATION LEVEL ${isolation}`)
    await send(connection, start)
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** How long the copy waits for a connection, and for a lock. */
const timeoutMilliseconds = 60_000

/** MariaDB allows 255 bytes in an identifier, and the other engines any number. */
function tooLong(error: unknown, table: string): MigrateCommandError | undefined {
  if (!(error instanceof Error && 'errno' in error && error.errno === 1406)) return undefined
  return new MigrateCommandError(`A value of ${table} is longer than MariaDB can store: ${error.message}`)
}
