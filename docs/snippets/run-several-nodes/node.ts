import { createAuthorizationServer, toRateLimiter, createStoredKeys } from '@mintmark/core'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import type { Pool } from 'pg'
import { sharedCounter } from './shared-counter.ts'

const issuer = process.env['ISSUER_URL'] ?? 'https://login.example'

/** Creates a node. Every node uses the same issuer, database, sealing key and options. */
export async function createNode(pool: Pool, sealingKey: string) {
  const storage = await createSqlStorage({ issuer, dialect: toPostgresDialect(pool) })
  const keys = createStoredKeys({ storage, sealingKey })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: () => Promise.resolve(undefined),
    rateLimits: {
      failedAuthentications: toRateLimiter(
        await sharedCounter(pool, { name: 'authentications', points: 100, seconds: 60 }),
      ),
      startedInteractions: toRateLimiter(
        await sharedCounter(pool, { name: 'interactions', points: 100, seconds: 600 }),
      ),
    },
  })
  // Throws if this node and the other nodes have different sealing keys, before the load balancer sends requests to it.
  await server.ready()
  return { server, storage, keys }
}
