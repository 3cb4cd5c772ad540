import type { AdminStorage } from '@mintmark/storage-interface'
import { mkdtemp, rm } from 'node:fs/promises'
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

/** Storages over one file. Each has a separate connection, as separate server processes have. */
export async function fileUnderTest(): Promise<StorageUnderTest<AdminStorage>> {
  const folder = await aFolder()
  const opened: SqlDialect[] = []

  return {
    open: async (issuer) => {
      const dialect = openSqliteDialect(join(folder.path, 'test.db'), { migrate: 'on-open', synchronous: 'normal' })
      opened.push(dialect)
      return createSqlStorage({ dialect, issuer })
    },
    close: async () => {
      await Promise.all(opened.map((dialect) => dialect.close()))
      await folder.remove()
    },
  }
}
