// Measures how long the purge of 1,000 rows takes when 4,000 rows have expired, and when a million have expired:
// `pnpm bench purge-million [rows]`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codes, families, opaqueTokens, tableColumns } from '@mintmark/storage-interface/records'
import { epochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { aCodeRecord, aDigest } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { Pool } from 'pg'
import { onlyCount } from '../../../scripts/command-words.ts'
import { replayColumns } from '../src/tables.ts'
import { fillTable } from '../test/support/fill-table.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const issuer = 'https://issuer.example'
const limit = 1000
const rows = await onlyCount('pnpm bench purge-million', { of: 'rows', otherwise: 1_000_000 })
const { issuedAt: now } = aCodeRecord()

await measureSqlite()
await measurePostgres()

async function measureSqlite(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-purge-'))
  const dialect = openSqliteDialect(join(folder, 'test.db'), { migrate: 'on-open', synchronous: 'normal' })
  await measure(dialect, 'SQLite')
  await dialect.close()
  await rm(folder, { recursive: true })
}

async function measurePostgres(): Promise<void> {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  await measure(toPostgresDialect(pool, { migrate: 'on-open' }), 'PostgreSQL')
  await pool.end()
  await server.stop()
}

async function measure(dialect: SqlDialect, name: string): Promise<void> {
  const storage = await createSqlStorage({ dialect, issuer })
  for (const expired of [4000, rows]) {
    await fill(dialect, expired)
    report(`${name}, ${expired} expired and as many unexpired rows`, await purgeAll(storage))
  }

  const [remaining] = await dialect.all('SELECT count(*) AS count FROM mintmark_families', [])
  console.log(`${name}: ${String(remaining?.values[0])} unexpired families remain\n`)
}

/** Inserts as many expired as unexpired rows, a quarter of them into each of four tables. */
async function fill(dialect: SqlDialect, expired: number): Promise<void> {
  const tables = {
    mintmark_codes: tableColumns(codes),
    mintmark_replays: replayColumns,
    mintmark_opaque_tokens: tableColumns(opaqueTokens),
    mintmark_families: tableColumns(families),
  }
  for (const [table, columns] of Object.entries(tables)) {
    const key = columns[1]
    const values = {
      issuer: `'${issuer}'`,
      [key]: `'${expired}-' || n`,
      value_digest: `'${expired}-' || n`,
      handle_digest: `'${expired}-' || n`,
      // Every other row has expired, each at a different time.
      expires_at: `${now} + CASE WHEN n % 2 = 0 THEN -n ELSE n END`,
      revoked_at: 'NULL',
      consumed_at: 'NULL',
    }
    await fillTable(dialect, { table, columns, rows: expired / 2, values })
  }
}

/** Returns how many milliseconds each call took, and each insertion and presentation of an unexpired code meanwhile. */
async function purgeAll(storage: AdminStorage): Promise<{ readonly batches: number[]; readonly meanwhile: number[] }> {
  const batches: number[] = []
  const meanwhile: number[] = []
  for (let call = 0; ; call += 1) {
    const code = aCodeRecord({ digest: aDigest(`meanwhile-${call}`), expiresAt: epochSeconds(now + 60) })
    const started = performance.now()
    const purging = storage.purge.purgeExpired({ now, limit })
    const presenting = storage.codes.insert(code).then(() => storage.codes.consume(code.digest, code.clientId, now))
    const { done } = await purging.finally(() => batches.push(performance.now() - started))
    await presenting.then(() => meanwhile.push(performance.now() - started))
    if (done) return { batches, meanwhile }
  }
}

function report(
  about: string,
  { batches, meanwhile }: { readonly batches: number[]; readonly meanwhile: number[] },
): void {
  const full = batches.slice(0, -1)
  const tenth = Math.max(1, Math.floor(full.length / 10))
  const figures = {
    first: median(full.slice(0, tenth)),
    middle: median(full.slice(full.length / 2 - tenth / 2, full.length / 2 + tenth / 2 + 1)),
    last: median(full.slice(-tenth)),
    longest: Math.max(...full),
    meanwhile: median(meanwhile),
  }
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(1)} ms`)
  console.log(`${about}: ${batches.length} calls of ${limit}: ${text.join(', ')}`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
