import { connect } from 'node:net'
import { migrate } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import type { Pool, RowDataPacket } from 'mysql2'
import { inject } from 'vitest'
import { createDatabase, emptyMariadb, twoMariadbPools } from './mariadb-database.ts'

/** A database on the MariaDB that all tests of the run share. */
export interface MariadbOfTheRun {
  /** Two pools, as two servers have. */
  readonly pools: readonly [Pool, Pool]
  readonly url: string
  /** Ends the pools. */
  readonly remove: () => Promise<void>
}

/**
 * Returns a database that has the tables, without rows. `remove` gives it to a later test of the same process, because
 * migrations take longer than most tests.
 */
export async function aMigratedMariadbDatabase(): Promise<MariadbOfTheRun> {
  const pools = unused.pop() ?? (await withTables(await twoMariadbPools(await portOfTheRun())))
  return {
    pools,
    url: await urlOf(pools[0]),
    remove: async () => {
      await emptyMariadb(pools[0])
      unused.push(pools)
    },
  }
}

const unused: (readonly [Pool, Pool])[] = []

async function withTables(pools: readonly [Pool, Pool]): Promise<readonly [Pool, Pool]> {
  await migrate({ dialect: toMariadbDialect(pools[0]) })
  return pools
}

/** The URL of the database that a pool is for. */
export async function urlOf(pool: Pool): Promise<string> {
  const [rows] = await pool.promise().query<RowDataPacket[]>('SELECT @@port AS port, database() AS name')
  return `mariadb://root@127.0.0.1:${String(rows[0]?.['port'])}/${String(rows[0]?.['name'])}`
}

/** Creates a database without tables. @returns its address. */
export async function emptyDatabaseOfTheRun(): Promise<string> {
  const port = await portOfTheRun()
  return `mariadb://root@127.0.0.1:${port}/${await createDatabase(port)}`
}

/** The port of the MariaDB that all tests of the run share. */
export async function portOfTheRun(): Promise<number> {
  const socket = connect(inject('mariadbPort'), '127.0.0.1')
  const answer = (await socket.toArray()).join('')
  const [, port] = /^port (\d+)$/.exec(answer) ?? []
  if (port === undefined) throw new Error(`MariaDB could not be started: ${answer}`)
  return Number(port)
}
