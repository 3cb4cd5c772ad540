import type { AdminStorage } from '@mintmark/storage-interface'
import { adminLaws, agentLaws, type StorageUnderTest } from '@mintmark/storage-interface/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresUnderTest, type TestDatabase } from './support/postgres-database.ts'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'
import { oneFileUnderTest } from './sqlite-under-test.ts'

const laws = [...adminLaws, ...agentLaws]

describe('SQLite in a file, a connection for each server,', () => {
  let file: Awaited<ReturnType<typeof oneFileUnderTest>>
  beforeAll(async () => void (file = await oneFileUnderTest()))
  afterAll(() => file.remove())

  test.for(laws)('keeps the law $name', async (law) => {
    await expect(law.run(file.makeStore)).resolves.toBeUndefined()
  })
})

describe('PostgreSQL, a pool for each server,', () => {
  let database: TestDatabase
  let makeStore: () => Promise<StorageUnderTest<AdminStorage>>
  beforeAll(async () => {
    database = await aMigratedDatabase()
    makeStore = await postgresUnderTest(database)
  }, 60_000)
  afterAll(() => database.remove())

  test.for(laws)('keeps the law $name', async (law) => {
    await expect(law.run(makeStore)).resolves.toBeUndefined()
  })
})
