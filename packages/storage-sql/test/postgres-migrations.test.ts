import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { postgres, toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { pendingMigrations, printMigrations } from '@mintmark/storage-sql/command'
import { migrationScripts } from '../src/migrate.ts'
import type { TestDatabase } from './support/postgres-database.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'
import { migrationNames as all } from './support/migration-names.ts'

const issuer = 'https://issuer.example'

test('migrates an empty PostgreSQL database, once', async () => {
  const dialect = toPostgresDialect((await anEmptyDatabase()).pool())

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({ kind: 'behind', migrations: all })
  expect(await migrate({ dialect })).toEqual(all)
  expect(await migrate({ dialect })).toEqual([])
  expect(await pendingMigrations({ dialect })).toEqual([])
  await expect(createSqlStorage({ dialect, issuer })).resolves.toMatchObject({ issuer })
})

test('a released migration never changes: PostgreSQL databases hold its checksum', () => {
  const released = migrationScripts(postgres).map(({ name, checksum }) => `${name} ${checksum}`)

  expect(released).toMatchInlineSnapshot(`
    [
      "0001-schema 3724acac035fcddf3ce481f1cee7f85830c4a31931332c7e1f622fd975a6ef85",
      "0002-statistics bae975ac3aa0c47a280a59a2676a1711c0177c12c1373f305f30dab7d027557a",
    ]
  `)
})

test('0002-statistics leaves no sample rows: existing rows stay, and triggers and statistics targets are as before', async () => {
  const pool = (await anEmptyDatabase()).pool()
  const dialect = toPostgresDialect(pool)
  for (const { statements } of migrationScripts(postgres).filter(({ number }) => number < 2))
    await dialect.atomically(statements)
  await pool.query(`INSERT INTO mintmark_organizations VALUES ('${issuer}', 'acme', 'Acme', 1, 1, 1)`)

  expect(await migrate({ dialect })).toEqual(all.slice(1))

  const own = `SELECT oid FROM pg_class WHERE relnamespace = current_schema::REGNAMESPACE AND relkind = 'r'`
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE oid IN (${own}) ORDER BY name`,
  )
  const counted = await Promise.all(
    tables.map(async ({ name }) => [name, (await pool.query(`SELECT FROM ${name}`)).rowCount] as const),
  )
  expect(counted.filter(([, rows]) => rows !== 0)).toEqual([
    ['mintmark_migrations', all.length],
    ['mintmark_organizations', 1],
  ])
  const changed = await pool.query(
    `SELECT tgname FROM pg_trigger WHERE tgrelid IN (${own}) AND tgenabled <> 'O'
     UNION ALL SELECT attname FROM pg_attribute WHERE attrelid IN (${own}) AND attstattarget > 0`,
  )
  expect(changed.rows).toEqual([])
})

test.for(migrationScripts(postgres))('migrates a PostgreSQL database that stopped at $name', async (last) => {
  const dialect = toPostgresDialect((await anEmptyDatabase()).pool())
  const before = migrationScripts(postgres).filter(({ number }) => number <= last.number)
  for (const { statements } of before) await dialect.atomically(statements)

  expect(await migrate({ dialect })).toEqual(all.slice(last.number))
  await expect(createSqlStorage({ dialect, issuer })).resolves.toBeDefined()
})

test('prints the statements that apply runs on PostgreSQL', async () => {
  const [byCommand, byHand] = [await anEmptyDatabase(), await anEmptyDatabase()]
  await migrate({ dialect: toPostgresDialect(byCommand.pool()) })

  await byHand.pool().query(printMigrations(postgres))

  expect(await schemaOf(byHand)).toEqual(await schemaOf(byCommand))
  await expect(createSqlStorage({ dialect: toPostgresDialect(byHand.pool()), issuer })).resolves.toBeDefined()
})

test('a migration that fails halfway leaves nothing behind in PostgreSQL', async () => {
  const database = await anEmptyDatabase()
  const dialect = toPostgresDialect(database.pool())
  await dialect.atomically(['CREATE TABLE mintmark_sessions (mine TEXT)'])

  await expect(migrate({ dialect })).rejects.toThrow('mintmark_sessions')

  const { rows } = await database.pool().query('SELECT tablename FROM pg_tables WHERE schemaname = current_schema')
  expect(rows).toEqual([{ tablename: 'mintmark_sessions' }])
})

test('four processes that migrate a PostgreSQL database at once all succeed, and one applies each migration', async () => {
  const database = await anEmptyDatabase()

  const results = await Promise.all([1, 2, 3, 4].map(() => mintmarkMigrate('apply', '--postgres', database.url)))

  expect(results.map(({ code, errors }) => [code, errors])).toEqual([1, 2, 3, 4].map(() => [0, '']))
  const applied = results.flatMap(({ output }) => output.match(/(?<=Applied )\S+(?=\.)/g) ?? [])
  expect(applied.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(all)
})

test('a migration of a PostgreSQL database waits for the migration of another process', async () => {
  const database = await anEmptyDatabase()
  const other = await database.pool().connect()
  await other.query('BEGIN')
  await other.query('SELECT pg_advisory_xact_lock(7883954069019128427)')
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND pid = ANY($1)`

  const pool = database.pool({ max: 1 })
  const { rows: own } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const migrating = migrate({ dialect: toPostgresDialect(pool) })
  while ((await other.query(waiting, [own.map(({ pid }) => pid)])).rows.length === 0);
  await other.query('ROLLBACK')
  other.release()

  expect(await migrating).toEqual(all)
})

test('mintmark-migrate prints the schema of a PostgreSQL database, migrates it and reports its status', async () => {
  const { url } = await anEmptyDatabase()

  const printed = await mintmarkMigrate('print', '--dialect', 'postgres')
  const before = await mintmarkMigrate('status', '--postgres', url)
  await mintmarkMigrate('apply', '--postgres', url)
  const after = await mintmarkMigrate('status', '--postgres', url)

  expect(printed).toMatchObject({ code: 0, output: printMigrations(postgres).trimEnd() + '\n' })
  expect(before).toMatchObject({ code: 1, output: all.map((name) => `Pending: ${name}.\n`).join('') })
  expect(after).toMatchObject({ code: 0, output: 'Up to date.\n' })
})

test.for(['postgres://somebody:pass-word@127.0.0.1:1/none', 'postgres://somebody:pass-word@[nowhere'])(
  'mintmark-migrate reports why it cannot use %s, without the password and without a stack trace',
  async (url) => {
    const { code, output, errors } = await mintmarkMigrate('status', '--postgres', url)

    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(errors).not.toBe('')
    expect(errors).not.toMatch(/pass-word|^\s+at /m)
  },
)

async function anEmptyDatabase(): Promise<TestDatabase> {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  return database
}

async function schemaOf(database: TestDatabase): Promise<unknown> {
  const queries = [
    `SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns
     WHERE table_schema = current_schema ORDER BY table_name, column_name`,
    `SELECT replace(indexdef, current_schema, 'schema') AS index FROM pg_indexes WHERE schemaname = current_schema ORDER BY indexname`,
    'SELECT number, name, checksum FROM mintmark_migrations ORDER BY number',
  ]
  const pool = database.pool()
  const results = await Promise.all(queries.map((query) => pool.query<Record<string, unknown>>(query)))
  return results.map(({ rows }) => rows)
}

async function mintmarkMigrate(...args: readonly string[]): Promise<{ code: unknown; output: string; errors: string }> {
  const script = fileURLToPath(new URL('../src/migrate-command.ts', import.meta.url))
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=@mintmark/source', script, ...args], (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output, errors }),
    )
  })
}
