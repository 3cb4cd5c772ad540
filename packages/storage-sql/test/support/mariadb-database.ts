import { randomBytes } from 'node:crypto'
import type { AdminStorage } from '@mintmark/storage-interface'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { createPool, type Pool } from 'mysql2'
import { alternatingStorages } from './alternating-storages.ts'

/** Creates an empty database on the server, and a pool for it. */
export async function aMariadbPool(
  port: number,
  { user = 'root', connectionLimit = 8 }: { readonly user?: string; readonly connectionLimit?: number } = {},
): Promise<Pool> {
  return createPool({ host: '127.0.0.1', port, user, database: await createDatabase(port), connectionLimit })
}

/** Creates an empty database on the server, and two pools for it, as two servers have. */
export async function twoMariadbPools(port: number): Promise<readonly [Pool, Pool]> {
  const settings = { host: '127.0.0.1', port, user: 'root', database: await createDatabase(port), connectionLimit: 5 }
  return [createPool(settings), createPool(settings)]
}

/** Creates an empty database on the server. @returns its name. */
export async function createDatabase(port: number): Promise<string> {
  const database = `test_${randomBytes(8).toString('hex')}`
  const admin = createPool({ host: '127.0.0.1', port, user: 'root', connectionLimit: 1 }).promise()
  await admin.query(`CREATE DATABASE ${database}`)
  await admin.end()
  return database
}

/** Makes stores one after the other in one database, each of them empty when it is made. Storages alternate between two pools. */
export function mariadbUnderTest(pools: readonly [Pool, Pool]): () => Promise<StorageUnderTest<AdminStorage>> {
  const dialects = [toMariadbDialect(pools[0]), toMariadbDialect(pools[1])] as const
  const open = alternatingStorages(dialects, createSqlStorage)

  return async () => {
    await emptyMariadb(pools[0])
    return { open, close: async () => {} }
  }
}

/** Removes all rows. The tables and the list of applied migrations stay. */
export async function emptyMariadb(pool: Pool): Promise<void> {
  const tables = await namesIn(pool, `SHOW FULL TABLES WHERE table_type = 'BASE TABLE'`)
  const anyRow = tables
    .filter((name) => name !== 'mintmark_migrations')
    .map((name) => `SELECT '${name}' FROM DUAL WHERE EXISTS (SELECT 1 FROM ${name})`)
    .join(' UNION ALL ')
  // Nothing is recorded while there is no webhook.
  await pool.promise().query('DELETE FROM mintmark_webhooks')
  let filled = await namesIn(pool, anyRow)
  // Triggers may write rows.
  while (filled.length > 0) {
    for (const name of filled) await pool.promise().query(`DELETE FROM ${name}`)
    filled = await namesIn(pool, anyRow)
  }
}

async function namesIn(pool: Pool, query: string): Promise<readonly string[]> {
  const [rows] = await pool.promise().query(query)
  return (rows as readonly object[]).map((row) => String(Object.values(row)[0]))
}

export const endPool = (pool: Pool): Promise<void> => new Promise((resolve) => pool.end(() => resolve()))
