import type { AdminStorage } from '@mintmark/storage-interface'
import { adminLaws, type StorageUnderTest } from '@mintmark/storage-interface/contract'
import type { Pool } from 'mysql2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mariadbUnderTest, twoMariadbPools } from './support/mariadb-database.ts'
import { startMariadb, type MariadbServer } from './support/mariadb-server.ts'

describe('MariaDB, a pool for each server,', () => {
  let server: MariadbServer
  let pools: readonly [Pool, Pool]
  let makeStore: () => Promise<StorageUnderTest<AdminStorage>>
  beforeAll(async () => {
    server = await startMariadb()
    pools = await twoMariadbPools(server.port)
    makeStore = await mariadbUnderTest(pools)
  }, 60_000)
  afterAll(async () => {
    for (const pool of pools) await new Promise<void>((resolve) => pool.end(() => resolve()))
    await server.stop()
  })

  test.for(adminLaws)('keeps the law $name', async (law) => {
    await expect(law.run(makeStore)).resolves.toBeUndefined()
  })
})
