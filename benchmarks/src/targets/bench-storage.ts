import type { AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import type { SqlDialect } from '@mintmark/storage-sql'

import type { TargetSettings } from '../site.ts'

/** Mintmark's storage. */
export interface BenchStorage {
  readonly storage: AdminStorage
  /** The database behind it; undefined in memory. */
  readonly dialect: SqlDialect | undefined
}

type Medium = Pick<TargetSettings, 'storage' | 'postgresUrl' | 'sqlitePath'>

/** Wraps the database, for example to record its statements. */
export type Watch = (dialect: SqlDialect) => SqlDialect

/** The storage of the requested kind. Only the modules that it needs are loaded, as in a host. */
export async function benchStorage(
  medium: Medium,
  issuer: string,
  watch: Watch = (dialect) => dialect,
): Promise<BenchStorage> {
  if (medium.storage === 'memory') return { storage: createMemoryStorage({ issuer }), dialect: undefined }
  const { createSqlStorage } = await import('@mintmark/storage-sql')
  const dialect = watch(medium.storage === 'sqlite' ? await onSqlite(medium) : await onPostgres(medium))
  return { storage: await createSqlStorage({ dialect, issuer }), dialect }
}

async function onSqlite({ sqlitePath = ':memory:' }: Medium): Promise<SqlDialect> {
  const { openSqliteDialect } = await import('@mintmark/storage-sql/sqlite')
  return openSqliteDialect(sqlitePath, { migrate: 'on-open', synchronous: 'normal' })
}

/** Over a pool with the default size of `pg`: ten connections. */
async function onPostgres({ postgresUrl }: Medium): Promise<SqlDialect> {
  const [{ toPostgresDialect }, { Pool }] = await Promise.all([import('@mintmark/storage-sql/postgres'), import('pg')])
  return toPostgresDialect(new Pool({ connectionString: postgresUrl }), {
    migrate: 'on-open',
    timeoutMilliseconds: 30_000,
  })
}
