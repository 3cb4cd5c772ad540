import { join } from 'node:path'

import type { AdminStorage } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

import type { ExampleInstance } from './example-instance.ts'

/** Changes the storage of the running example over its own connection, as an administrator's tool would. */
export async function useStorage<T>(instance: ExampleInstance, use: (storage: AdminStorage) => Promise<T>): Promise<T> {
  const dialect = openSqliteDialect(join(instance.dataFolder, 'mintmark.db'))
  try {
    return await use(await createSqlStorage({ dialect, issuer: instance.url }))
  } finally {
    await dialect.close()
  }
}
