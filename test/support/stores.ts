import type { AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'

import { aMigratedPostgres, aMigratedSqlite } from '../../packages/storage-sql/test/support/migrated-dialects.ts'

const issuer = 'https://as.test'

/** Each storage of the repository except Redis. It is empty, and is closed after the test. */
export const stores: readonly (readonly [name: string, open: () => Promise<AdminStorage>])[] = [
  ['memory', async () => createMemoryStorage({ issuer })],
  ['SQLite', async () => createSqlStorage({ dialect: await aMigratedSqlite(), issuer })],
  ['PostgreSQL', async () => createSqlStorage({ dialect: await aMigratedPostgres(), issuer })],
]
