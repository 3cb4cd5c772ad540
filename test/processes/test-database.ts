import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { registerIdentityProvider } from '@mintmark/scim'
import {
  clientId,
  epochSeconds,
  grantId,
  userId,
  type EpochSeconds,
  type AdminStorage,
} from '@mintmark/storage-interface'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'

import { aMigratedMariadbDatabase } from '../../packages/storage-sql/test/support/mariadb-of-the-run.ts'
import { makeDatabase } from '../../packages/storage-sql/test/support/postgres-database.ts'
import { changeClient, registerFixtureClients, type FixtureClients } from '../support/fixture-clients.ts'
import { api, issuer, type DatabaseAddress } from './server-config.ts'

/**
 * A database with the fixture clients, the identity provider T1, and U1, who has consented to all scopes of client A.
 */
export interface ProcessSite {
  readonly database: DatabaseAddress
  readonly clients: FixtureClients
  /** The Secret Token of T1. */
  readonly scimSecret: string
  /** The storage of the test process, over the same database. */
  readonly storage: AdminStorage
  close(): Promise<void>
}

export async function openSqliteSite(): Promise<ProcessSite> {
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-processes-'))
  const file = join(folder, 'test.db')
  const dialect = openSqliteDialect(file, { migrate: 'on-open', synchronous: 'normal' })
  const close = async (): Promise<void> => {
    await dialect.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return openSite(dialect, { database: { engine: 'sqlite', file }, close })
}

/** @param server the address of a PostgreSQL server; a new schema is created on it. */
export async function openPostgresSite(server: string): Promise<ProcessSite> {
  const database = await makeDatabase(server)
  const dialect = toPostgresDialect(database.pool(), { migrate: 'on-open' })
  return openSite(dialect, {
    database: { engine: 'postgres', url: database.url },
    close: () => database.remove(),
  })
}

/** Creates a database on the MariaDB of the run. */
export async function openMariadbSite(): Promise<ProcessSite> {
  const { pools, url, remove } = await aMigratedMariadbDatabase()
  return openSite(toMariadbDialect(pools[0]), { database: { engine: 'mariadb', url }, close: remove })
}

/** Opens a database that is migrated and empty, and inserts what a `ProcessSite` has. */
export async function openSite(
  dialect: SqlDialect,
  { database, close }: Pick<ProcessSite, 'database' | 'close'>,
): Promise<ProcessSite> {
  const storage = await createSqlStorage({ dialect, issuer })
  return { database, ...(await insertFixtures(storage)), storage, close }
}

async function insertFixtures(storage: AdminStorage): Promise<Pick<ProcessSite, 'clients' | 'scimSecret'>> {
  const now = epochSeconds(Date.now() / 1000)
  const clients = await registerFixtureClients(storage)
  // The servers have a single key, for the fast algorithm ES256.
  await changeClient(storage, clientId('A'), {
    idTokenSignedResponseAlg: 'ES256',
    grantTypes: [
      'authorization_code',
      'refresh_token',
      'urn:openid:params:grant-type:ciba',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ],
    servedAudiences: [api],
  })
  await storage.users.insert({ userId: userId('U1'), claims: { name: 'Ann Lee' }, createdAt: now })
  await consent(storage, 'U1', now)
  const { secret } = await registerIdentityProvider({ providerId: 'T1' }, { storage })
  return { clients, scimSecret: secret }
}

/** Stores the user's consent to all scopes of client A. */
export async function consent(storage: AdminStorage, user: string, now: EpochSeconds): Promise<void> {
  await storage.grants.insert({
    grantId: grantId(`consent-${user}`),
    clientId: clientId('A'),
    userId: userId(user),
    userGeneration: 0,
    scopes: ['openid', 'profile', 'offline_access'],
    resources: [],
    createdAt: now,
    authorizationDetails: [],
    clientDigest: undefined,
    revokedAt: undefined,
    version: 1,
  })
}
