import type { AdminStorage } from '@mintmark/storage-interface'
import type { SqlDialect } from '@mintmark/storage-sql'

import type { TargetSettings } from '../site.ts'

/** Mintmark's storage in a benchmark. */
export interface BenchStorage {
  readonly storage: AdminStorage
  /** The database of the storage; undefined in memory. */
  readonly dialect: SqlDialect | undefined
}

type StorageSettings = Pick<TargetSettings, 'storage' | 'postgresUrl' | 'sqlitePath'>

/** Wraps the database, for example to record its statements. */
export type WrapDialect = (dialect: SqlDialect) => SqlDialect

/** Opens storage of the requested kind. Loads only the modules that it needs, as a host would. */
export async function benchStorage(
  settings: StorageSettings,
  issuer: string,
  wrap: WrapDialect = (dialect) => dialect,
): Promise<BenchStorage> {
  if (settings.storage === 'memory') {
    const { createMemoryStorage } = await import('@mintmark/storage-interface/memory')
    return { storage: createMemoryStorage({ issuer }), dialect: undefined }
  }
  const { createSqlStorage } = await import('@mintmark/storage-sql')
  const dialect = wrap(settings.storage === 'sqlite' ? await openSqlite(settings) : await openPostgres(settings))
  return { storage: await createSqlStorage({ dialect, issuer }), dialect }
}

async function openSqlite({ sqlitePath = ':memory:' }: StorageSettings): Promise<SqlDialect> {
  const { openSqliteDialect } = await import('@mintmark/storage-sql/sqlite')
  return openSqliteDialect(sqlitePath, { migrate: 'on-open', synchronous: 'normal' })
}

/** Opens a pool with the default size of `pg`, ten connections. */
async function openPostgres({ postgresUrl }: StorageSettings): Promise<SqlDialect> {
  const [{ toPostgresDialect }, { Pool }] = await Promise.all([import('@mintmark/storage-sql/postgres'), import('pg')])
  return toPostgresDialect(new Pool({ connectionString: postgresUrl }), {
    migrate: 'on-open',
    timeoutMilliseconds: 30_000,
  })
}
