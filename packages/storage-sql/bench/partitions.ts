// Compares the table of codes with one that is partitioned by the hour of expiry, on PostgreSQL: `pnpm bench partitions [rows]`.
import { codes, tableColumns } from '@mintmark/storage-interface/records'
import { aCodeRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'
import { onlyCount } from '../../../scripts/command-words.ts'
import { fillTable } from '../test/support/fill-table.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const issuer = 'https://issuer.example'
const rows = await onlyCount('pnpm bench partitions', { of: 'rows', otherwise: 1_000_000 })
const hours = 24
const samples = 20_000
const { issuedAt: now } = aCodeRecord()
const columns = tableColumns(codes)
const tables = ['mintmark_codes', 'partitioned_codes'] as const

const server = await startPostgres()
const pool = new Pool({ connectionString: server.url })
const dialect = toPostgresDialect(pool)
await migrate({ dialect })
await createPartitions()
for (const table of tables) await fill(table)
await pool.query('VACUUM ANALYZE')

for (const table of tables) {
  const insert = insertInto(table, '$1::bigint', now + 60)
  const find = `SELECT * FROM ${table} WHERE issuer = '${issuer}' AND digest = md5($1::text)`
  console.log(`${table}: ${await microseconds('insert', insert, (n) => rows + n)} us to insert a code`)
  console.log(`${table}: ${await microseconds('find', find, (n) => 1 + ((n * 7919) % rows))} us to find a code`)
}
await removeByPurge()
await removeByDropping()
await repeatKey()

await pool.end()
await server.stop()

/** The key of a partitioned table must contain the time by which it is partitioned. */
async function createPartitions(): Promise<void> {
  const statements = [
    'CREATE TABLE partitioned_codes (LIKE mintmark_codes INCLUDING DEFAULTS) PARTITION BY RANGE (expires_at)',
    'ALTER TABLE partitioned_codes ADD PRIMARY KEY (issuer, digest, expires_at)',
    'CREATE INDEX ON partitioned_codes (issuer, expires_at)',
    ...Array.from({ length: hours + 1 }, (_, hour) => {
      const from = now - (hours - hour) * 3600
      return `CREATE TABLE hour_${hour} PARTITION OF partitioned_codes FOR VALUES FROM (${from}) TO (${from + 3600})`
    }),
  ]
  for (const statement of statements) await pool.query(statement)
}

/** Codes that expired during the last 24 hours. */
function fill(table: string): Promise<void> {
  const values = valuesOfColumns('n', `${now} - 1 - n % ${hours * 3600}`)
  return fillTable(dialect, { table, columns, rows, values })
}

function valuesOfColumns(n: string, expiresAt: string): Record<string, string> {
  return { issuer: `'${issuer}'`, digest: `md5('' || ${n})`, expires_at: expiresAt, consumed_at: 'NULL' }
}

/** A statement that inserts a code. */
function insertInto(table: string, n: string, expiresAt: number): string {
  const values = valuesOfColumns(n, String(expiresAt))
  const all = columns.map(
    (column) => values[column] ?? (/(_at|_version)$/.test(column) ? String(now) : `'${column}-' || ${n}`),
  )
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${all.join(', ')} ON CONFLICT DO NOTHING`
}

/** The time of a statement, one after the other on one connection, without the time of the same round trip to nothing. */
async function microseconds(name: string, text: string, parameter: (n: number) => number): Promise<string> {
  const client = await pool.connect()
  const time = async (query: { readonly name: string; readonly text: string }): Promise<number> => {
    const started = performance.now()
    for (let n = 0; n < samples; n += 1) await client.query({ ...query, values: [parameter(n)] })
    return performance.now() - started
  }
  const nothing = await time({ name: `nothing to ${name}`, text: 'SELECT $1::bigint' })
  const all = await time({ name: `${name} ${text.slice(0, 40)}`, text })
  client.release()
  return (((all - nothing) / samples) * 1000).toFixed(0)
}

async function removeByPurge(): Promise<void> {
  const storage = await createSqlStorage({ dialect, issuer })
  const calls: number[] = []
  for (let done = false; !done;) {
    const started = performance.now()
    ;({ done } = await storage.purge.purgeExpired({ now, limit: 1000 }))
    calls.push(performance.now() - started)
  }
  const total = calls.reduce((sum, time) => sum + time, 0)
  const median = calls.toSorted((a, b) => a - b)[Math.floor(calls.length / 2)] ?? Number.NaN
  const longest = Math.max(...calls)
  console.log(
    `mintmark_codes: purged in ${calls.length} calls, ${(total / 1000).toFixed(1)} s: median ${median.toFixed(1)} ms, longest ${longest.toFixed(0)} ms, ${((total / rows) * 1000).toFixed(0)} us a row`,
  )
  const started = performance.now()
  await pool.query('VACUUM mintmark_codes')
  console.log(`mintmark_codes: vacuumed in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

async function removeByDropping(): Promise<void> {
  const started = performance.now()
  for (let hour = 0; hour < hours; hour += 1) await pool.query(`DROP TABLE hour_${hour}`)
  console.log(`partitioned_codes: ${hours} partitions dropped in ${(performance.now() - started).toFixed(0)} ms`)
}

async function repeatKey(): Promise<void> {
  await pool.query(insertInto('partitioned_codes', '1', now + 60))
  const { rowCount } = await pool.query(insertInto('partitioned_codes', '1', now + 61))
  console.log(`partitioned_codes: a second code with the same digest is ${rowCount === 1 ? 'stored' : 'refused'}`)
}
