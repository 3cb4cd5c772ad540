import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { clientId, epochSeconds, grantId, userId, type Storage } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import { postgresPool } from '@mintmark/storage-sql/postgres'
import { sqliteFile } from '@mintmark/storage-sql/sqlite'

import { makeDatabase } from '../../packages/storage-sql/test/support/postgres-database.ts'
import { changeClient, registerFixtureClients, type FixtureClients } from '../support/fixture-clients.ts'
import { issuer, type DatabaseAddress } from './server-config.ts'

/** A database with the fixture clients and U1, who has consented to all that client A asks for. */
export interface Stage {
  readonly database: DatabaseAddress
  readonly clients: FixtureClients
  /** The database as an onlooker sees it. */
  readonly storage: Storage
  close(): Promise<void>
}

export async function sqliteStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-processes-'))
  const file = join(folder, 'test.db')
  const dialect = sqliteFile(file, { migrate: 'on-open', synchronous: 'normal' })
  const storage = await createSqlStorage({ dialect, issuer })

  return {
    database: { engine: 'sqlite', file },
    clients: await furnish(storage),
    storage,
    close: async () => {
      await dialect.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** @param server the address of a PostgreSQL, on which a schema of its own is made. */
export async function postgresStage(server: string): Promise<Stage> {
  const database = await makeDatabase(server)
  const dialect = postgresPool(database.pool(), { migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer })

  return {
    database: { engine: 'postgres', url: database.url },
    clients: await furnish(storage),
    storage,
    close: () => database.remove(),
  }
}

async function furnish(storage: Storage): Promise<FixtureClients> {
  const now = epochSeconds(Date.now() / 1000)
  const clients = await registerFixtureClients(storage)
  // The servers sign with one key alone, a quick one.
  await changeClient(storage, clientId('A'), { idTokenSignedResponseAlg: 'ES256' })
  const [user, client] = [userId('U1'), clientId('A')]
  await storage.users.insert({ userId: user, claims: { name: 'Ann Lee' }, createdAt: now })
  await storage.grants.insert({
    grantId: grantId('consent'),
    clientId: client,
    userId: user,
    userGeneration: 0,
    scopes: ['openid', 'profile', 'offline_access'],
    createdAt: now,
    revokedAt: undefined,
    version: 1,
  })
  return clients
}
