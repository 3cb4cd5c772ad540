import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { createSqlStorage, migrate, SchemaMismatchError, type SqlDialect } from '@mintmark/storage-sql'
import { sqlite, openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { pendingMigrations, printMigrations } from '@mintmark/storage-sql/command'
import { migrationScripts } from '../src/migrate.ts'
import { aFolder } from './sqlite-under-test.ts'
import { byName } from './support/by-name.ts'
import { migrationNames as all } from './support/migration-names.ts'

const issuer = 'https://issuer.example'

test('migrates an empty database, once', async () => {
  const dialect = await anEmptyFile()

  expect(await pendingMigrations({ dialect })).toEqual(all)
  expect(await migrate({ dialect })).toEqual(all)
  expect(await migrate({ dialect })).toEqual([])
  expect(await pendingMigrations({ dialect })).toEqual([])
  await expect(createSqlStorage({ dialect, issuer })).resolves.toMatchObject({ issuer })
})

test('a released migration never changes: databases hold its checksum', () => {
  const released = migrationScripts(sqlite).map(({ name, checksum }) => `${name} ${checksum}`)

  expect(released).toMatchInlineSnapshot(`
    [
      "0001-schema 0d22fb9347609ceb067d13503873abb0b475dc721fc0b5af78c32dc7aeae742b",
      "0002-statistics 35a681e8782b52b245c4886913869ddf68c9b22da8592668c0ee3c478783dee0",
    ]
  `)
})

test('migrations are numbered without gaps and named after their files', () => {
  const scripts = migrationScripts(sqlite)

  expect(scripts.map(({ number }) => number)).toEqual(scripts.map((_, index) => index + 1))
  expect(scripts.map(({ name }) => Number(name.slice(0, 4)))).toEqual(scripts.map(({ number }) => number))
})

test('rejects a database with pending migrations, and names the command', async () => {
  const dialect = await anEmptyFile()

  const refusal = await createSqlStorage({ dialect, issuer }).catch((error: unknown) => error)

  expect(refusal).toBeInstanceOf(SchemaMismatchError)
  expect(refusal).toMatchObject({ kind: 'behind', migrations: all })
  expect(String(refusal)).toContain(`Run: ${dialect.migrateCommand}. `)
  expect(await dialect.all("SELECT name FROM sqlite_schema WHERE name LIKE 'mintmark%'", [])).toEqual([])
})

test('rejects a database that a newer version has migrated', async () => {
  const dialect = await anEmptyFile()
  await migrate({ dialect })
  await dialect.atomically([`INSERT INTO mintmark_migrations (number, name, checksum) VALUES (999, '0999-later', 'x')`])

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({
    kind: 'ahead',
    migrations: ['0999-later'],
  })
  await expect(migrate({ dialect })).rejects.toMatchObject({ kind: 'ahead' })
})

test('rejects a database whose migration had another checksum', async () => {
  const dialect = await anEmptyFile()
  await migrate({ dialect })
  await dialect.atomically([`UPDATE mintmark_migrations SET checksum = '0' WHERE number = 1`])

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({
    kind: 'changed',
    migrations: ['0001-schema'],
  })
  await expect(migrate({ dialect })).rejects.toMatchObject({ kind: 'changed' })
  await expect(pendingMigrations({ dialect })).rejects.toMatchObject({ kind: 'changed' })
})

test('rejects a database of a version before the first release', async () => {
  const dialect = await anEmptyFile()
  await migrate({ dialect })
  await dialect.atomically([
    `UPDATE mintmark_migrations SET name = '0001-first-tables' WHERE number = 1`,
    `INSERT INTO mintmark_migrations (number, name, checksum) VALUES (56, '0056-retried-tokens', 'x')`,
  ])

  const refusal = await createSqlStorage({ dialect, issuer }).catch((error: unknown) => error)

  expect(refusal).toMatchObject({ kind: 'unreleased', migrations: ['0001-first-tables'] })
  expect(String(refusal)).toContain('Start with an empty database.')
  await expect(migrate({ dialect })).rejects.toMatchObject({ kind: 'unreleased' })
})

test.for(migrationScripts(sqlite))('migrates a database that stopped at $name, and keeps its rows', async (last) => {
  const dialect = await anEmptyFile()
  const before = migrationScripts(sqlite).filter(({ number }) => number <= last.number)
  for (const { statements } of before) await dialect.atomically(statements)
  await dialect.all(
    "INSERT INTO mintmark_replays (issuer, purpose, value_digest, expires_at) VALUES (?, 'revoked_jti', 'digest', 7)",
    [issuer],
  )

  expect(await migrate({ dialect })).toEqual(all.slice(last.number))
  expect(byName(await dialect.all('SELECT expires_at FROM mintmark_replays', []))).toEqual([{ expires_at: 7 }])
  await expect(createSqlStorage({ dialect, issuer })).resolves.toBeDefined()
})

test('migrates on opening, if configured', async () => {
  const dialect = await anEmptyFile({ migrate: 'on-open' })

  await expect(createSqlStorage({ dialect, issuer })).resolves.toBeDefined()
  expect(await pendingMigrations({ dialect })).toEqual([])
})

test('rejects a database that a newer version has migrated, even if it migrates on opening', async () => {
  const dialect = await anEmptyFile({ migrate: 'on-open' })
  await migrate({ dialect })
  await dialect.atomically([`INSERT INTO mintmark_migrations (number, name, checksum) VALUES (999, '0999-later', 'x')`])

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({
    kind: 'ahead',
    migrations: ['0999-later'],
  })
})

test('prints the statements that apply runs', async () => {
  const ran: string[] = []
  const byCommand = await anEmptyFile()
  await migrate({
    dialect: {
      ...byCommand,
      atomically: async (statements) => (ran.push(...statements), byCommand.atomically(statements)),
    },
  })
  const byHand = await anEmptyFile()

  const printed = printMigrations(sqlite)
  const database = new DatabaseSync(byHand.file)
  database.exec(printed)
  database.close()

  for (const statement of ran) expect(printed).toContain(`${statement};`)
  expect(await schemaOf(byHand)).toEqual(await schemaOf(byCommand))
  await expect(createSqlStorage({ dialect: byHand, issuer })).resolves.toBeDefined()
})

test('a migration that fails halfway leaves nothing behind', async () => {
  const dialect = await anEmptyFile()
  await dialect.atomically(['CREATE TABLE mintmark_sessions (mine TEXT)'])

  await expect(migrate({ dialect })).rejects.toThrow('mintmark_sessions')

  const tables = await dialect.all("SELECT name FROM sqlite_schema WHERE type = 'table'", [])
  expect(byName(tables)).toEqual([{ name: 'mintmark_sessions' }])
})

test('two processes that migrate at once both succeed', async () => {
  const first = await anEmptyFile()
  const second = openSqliteDialect(first.file)
  onTestFinished(() => second.close())

  const applied = await Promise.all([migrate({ dialect: first }), migrate({ dialect: second })])

  expect(applied.flat()).toEqual(all)
})

type FileDialect = SqlDialect & { readonly file: string }

async function anEmptyFile(options?: Parameters<typeof openSqliteDialect>[1]): Promise<FileDialect> {
  const folder = await aFolder()
  const file = join(folder.path, 'test.db')
  const dialect = openSqliteDialect(file, options)
  onTestFinished(async () => {
    await dialect.close()
    await folder.remove()
  })
  return { ...dialect, file }
}

async function schemaOf(dialect: SqlDialect): Promise<unknown> {
  return {
    schema: await dialect.all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name', []),
    migrations: await dialect.all('SELECT number, name, checksum FROM mintmark_migrations', []),
  }
}
