import { storageLaws, type MakeStore } from '@mintmark/storage-interface/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresUnderTest, type TestDatabase } from './support/postgres-database.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'
import { fileUnderTest, memoryUnderTest } from './sqlite-under-test.ts'

test.for(storageLaws)('SQLite in memory keeps the law $name', async (law) => {
  await expect(law.run(() => memoryUnderTest())).resolves.toBeUndefined()
})

test.for(storageLaws)('SQLite in a file, a connection for each server, keeps the law $name', async (law) => {
  await expect(law.run(fileUnderTest)).resolves.toBeUndefined()
})

describe('PostgreSQL, a pool for each server,', () => {
  let database: TestDatabase
  let makeStore: MakeStore
  beforeAll(async () => {
    database = await aDatabase()
    makeStore = await postgresUnderTest(database)
  }, 60_000)
  afterAll(() => database.remove())

  test.for(storageLaws)('keeps the law $name', async (law) => {
    await expect(law.run(makeStore)).resolves.toBeUndefined()
  })
})
