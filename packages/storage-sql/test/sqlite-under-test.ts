import type { AdminStorage } from '@mintmark/storage-interface'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

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
  watch: (dialect: SqlDialect) => SqlDialect,
): Promise<() => Promise<StorageUnderTest<AdminStorage>>> {
  const unwatched = openSqliteDialect(':memory:', { migrate: 'on-open' })
  const dialect = watch(unwatched)
  await createSqlStorage({ dialect, issuer: 'https://tables.example' })
  const rows = await unwatched.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`, [])
  const tables = rows.map(({ values: [name] }) => String(name))
  const filled = tables.filter((name) => name.startsWith('mintmark_') && name !== 'mintmark_migrations')
  return async () => {
    for (const name of filled) await unwatched.all(`DELETE FROM ${name}`, [])
    return { open: (issuer) => createSqlStorage({ dialect, issuer }), close: async () => {} }
  }
}

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

/** Storages over one file. Each has a separate connection, as separate server processes have. */
export async function fileUnderTest(files: MigratedFiles): Promise<StorageUnderTest<AdminStorage>> {
  const path = await files.create()
  const opened: SqlDialect[] = []

  return {
    open: async (issuer) => {
      const dialect = openSqliteDialect(path, { synchronous: 'normal' })
      opened.push(dialect)
      return createSqlStorage({ dialect, issuer })
    },
    close: async () => {
      await Promise.all(opened.map((dialect) => dialect.close()))
      await rm(path, { force: true })
    },
  }
}
