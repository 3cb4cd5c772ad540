import type { PostgresPool } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'
import type { PostgresClient } from '../../src/postgres/connection.ts'

/** Returns the pool with another `query` for each connection that is taken. */
export function changedPool(pool: Pool, queryOf: (client: PostgresClient) => PostgresClient['query']): PostgresPool {
  const changed = (client: PostgresClient): PostgresClient => ({
    on: (event, listener) => client.on(event, listener),
    off: (event, listener) => client.off(event, listener),
    release: (end) => client.release(end),
    query: queryOf(client),
  })
  return {
    on: (event, listener) => pool.on(event, listener),
    off: (event, listener) => pool.off(event, listener),
    connect: (taken) =>
      pool.connect((error, client) =>
        client === undefined ? taken(error, undefined) : taken(undefined, changed(client)),
      ),
  }
}
