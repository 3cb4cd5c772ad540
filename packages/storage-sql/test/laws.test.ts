import type { AdminStorage } from '@mintmark/storage-interface'
import { adminLaws, type StorageUnderTest } from '@mintmark/storage-interface/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresUnderTest, type TestDatabase } from './support/postgres-database.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'
import { fileUnderTest, memoryUnderTest } from './sqlite-under-test.ts'

test.for(adminLaws)('SQLite in memory keeps the law $name', async (law) => {
  await expect(law.run(() => memoryUnderTest())).resolves.toBeUndefined()
})

test.for(adminLaws)('SQLite in a file, a connection for each server, keeps the law $name', async (law) => {
  await expect(law.run(fileUnderTest)).resolves.toBeUndefined()
})

describe('PostgreSQL, a pool for each server,', () => {
  let database: TestDatabase
  let makeStore: () => Promise<StorageUnderTest<AdminStorage>>
  beforeAll(async () => {
    database = await aDatabase()
    makeStore = await postgresUnderTest(database)
  }, 60_000)
  afterAll(() => database.remove())

  test.for(adminLaws)('keeps the law $name', async (law) => {
    await expect(law.run(makeStore)).resolves.toBeUndefined()
  })
})
