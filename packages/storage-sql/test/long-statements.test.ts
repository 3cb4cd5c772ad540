import { toPostgresDialect, type PostgresPool } from '@mintmark/storage-sql/postgres'
import { expect, onTestFinished, test } from 'vitest'

import { aDatabase } from './support/postgres-of-the-run.ts'

test.for([
  { max: 8, most: 2 },
  { max: 3, most: 1 },
])('searches use at most a quarter of a pool of $max connections, whoever owns them', async ({ max, most }) => {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const { pool, inUse } = countedPool(database.pool(), max)
  const dialect = toPostgresDialect(pool)
  const search = (owner: string) => dialect.all('select 1 as one', [], { lifetime: 'passing', owner })

  const rows = await Promise.all(Array.from({ length: 20 }, (_, number) => search(`directory ${number % 5}`)))

  expect(rows).toHaveLength(20)
  expect(inUse.most).toBe(most)
})

/** A pool that counts the connections in use. */
function countedPool(pool: PostgresPool, max: number): { pool: PostgresPool; inUse: { now: number; most: number } } {
  const inUse = { now: 0, most: 0 }
  const connect: PostgresPool['connect'] = (taken) =>
    pool.connect((error, client) => {
      if (client === undefined) return taken(error, client)
      inUse.now += 1
      inUse.most = Math.max(inUse.most, inUse.now)
      const release = client.release.bind(client)
      client.release = (end) => {
        inUse.now -= 1
        client.release = release
        release(end)
      }
      taken(error, client)
    })
  return {
    pool: { connect, on: pool.on.bind(pool), off: pool.off.bind(pool), options: { ...pool.options, max } },
    inUse,
  }
}
