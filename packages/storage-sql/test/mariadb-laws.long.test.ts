import type { AdminStorage } from '@mintmark/storage-interface'
import { adminLaws, agentLaws, type StorageUnderTest } from '@mintmark/storage-interface/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mariadbUnderTest } from './support/mariadb-database.ts'
import { aMigratedMariadbDatabase, type MariadbOfTheRun } from './support/mariadb-of-the-run.ts'

describe('MariaDB, a pool for each server,', () => {
  let database: MariadbOfTheRun
  let makeStore: () => Promise<StorageUnderTest<AdminStorage>>
  beforeAll(async () => {
    database = await aMigratedMariadbDatabase()
    makeStore = mariadbUnderTest(database.pools)
  }, 60_000)
  afterAll(() => database.remove())

  test.for([...adminLaws, ...agentLaws])('keeps the law $name', async (law) => {
    await expect(law.run(makeStore)).resolves.toBeUndefined()
  })
})
