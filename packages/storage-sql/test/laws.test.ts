import type { AdminStorage } from '@mintmark/storage-interface'
import { adminLaws, type StorageUnderTest } from '@mintmark/storage-interface/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresUnderTest, type TestDatabase } from './support/postgres-database.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'
import { fileUnderTest, migratedFiles } from './sqlite-under-test.ts'

describe('SQLite in a file, a connection for each server,', () => {
  let files: Awaited<ReturnType<typeof migratedFiles>>
  beforeAll(async () => void (files = await migratedFiles()))
  afterAll(() => files.remove())

  test.for(adminLaws)('keeps the law $name', async (law) => {
    await expect(law.run(() => fileUnderTest(files))).resolves.toBeUndefined()
  })
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
