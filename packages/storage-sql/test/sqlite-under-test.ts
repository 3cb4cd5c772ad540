import type { AdminStorage } from '@mintmark/storage-interface'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createSqlStorage, migrate, type SqlDialect } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { SqlRow } from '../src/dialect.ts'
import { alternatingStorages } from './support/alternating-storages.ts'
import { byName } from './support/by-name.ts'

/** Creates an empty folder. */
export async function aFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'mintmark-sql-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Storages of any issuer over one in-memory database. `watch` may wrap its dialect. */
export async function memoryUnderTest(
  watch: (dialect: SqlDialect) => SqlDialect = (dialect) => dialect,
): Promise<StorageUnderTest<AdminStorage>> {
  const dialect = watch(openSqliteDialect(':memory:', { migrate: 'on-open' }))
  return { open: (issuer) => createSqlStorage({ dialect, issuer }), close: () => dialect.close() }
}

/** Makes stores that reuse one database and empty it first, because migrations take longer than a law. */
export async function oneMemoryUnderTest(
  watch: (dialect: SqlDialect) => SqlDialect = (dialect) => dialect,
): Promise<() => Promise<StorageUnderTest<AdminStorage>>> {
  const unwatched = openSqliteDialect(':memory:')
  await migrate({ dialect: unwatched })
  const dialect = watch(unwatched)
  const open = alternatingStorages([dialect, dialect], createSqlStorage)
  return async () => {
    await emptySqlite(unwatched)
    return { open, close: async () => {} }
  }
}

/** Removes all rows. The tables and the list of applied migrations stay. */
export async function emptySqlite(dialect: SqlDialect): Promise<void> {
  const tables = namesIn(
    await dialect.all(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'mintmark_*' AND name <> 'mintmark_migrations'`,
      [],
    ),
  )
  const anyRow = tables
    .map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM ${name})`)
    .join(' UNION ALL ')
  let filled = namesIn(await dialect.all(anyRow, []))
  // Triggers may write rows.
  while (filled.length > 0) {
    await dialect.atomically(filled.map((name) => `DELETE FROM ${name}`))
    filled = namesIn(await dialect.all(anyRow, []))
  }
}

const namesIn = (rows: readonly SqlRow[] | undefined): readonly string[] => byName(rows).map(({ name }) => String(name))

/** Databases in files, which have the tables. */
interface MigratedFiles {
  /** Creates a database and returns its path. */
  create(): Promise<string>
  remove(): Promise<void>
}

/** Migrates one file, and copies it for each database, because migrations take ten times as long as a law. */
export async function migratedFiles(): Promise<MigratedFiles> {
  const folder = await aFolder()
  const template = join(folder.path, 'template.db')
  const dialect = openSqliteDialect(template, { migrate: 'on-open', synchronous: 'normal' })
  await createSqlStorage({ dialect, issuer: 'https://tables.example' })
  await dialect.close()
  let count = 0

  return {
    create: async () => {
      count += 1
      const path = join(folder.path, `${count}.db`)
      await copyFile(template, path)
      return path
    },
    remove: () => folder.remove(),
  }
}

/**
 * Makes stores one after the other in one file, each of them empty when it is made. Storages alternate between two
 * connections.
 */
export async function oneFileUnderTest(): Promise<{
  readonly makeStore: () => Promise<StorageUnderTest<AdminStorage>>
  readonly remove: () => Promise<void>
}> {
  const folder = await aFolder()
  const path = join(folder.path, 'laws.db')
  const connect = () => openSqliteDialect(path, { synchronous: 'normal' })
  const dialects = [connect(), connect()] as const
  await migrate({ dialect: dialects[0] })
  const open = alternatingStorages(dialects, createSqlStorage)

  return {
    makeStore: async () => {
      await emptySqlite(dialects[0])
      return { open, close: async () => {} }
    },
    remove: async () => {
      await Promise.all(dialects.map((dialect) => dialect.close()))
      await folder.remove()
    },
  }
}
