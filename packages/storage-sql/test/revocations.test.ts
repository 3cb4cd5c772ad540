import { epochSeconds, grantId, userId, type RevocationRecord, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord, aFamilyRecord, aGrantRecord, aUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, migrate, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrationScripts } from '../src/migrate.ts'
import { usedValueDigest } from '../src/stores/replay-store.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'
const now = epochSeconds(1_800_000_000)

describe.for([
  { name: 'SQLite', open: aFile },
  { name: 'PostgreSQL', open: async () => toPostgresDialect((await aPostgres()).pool()) },
])('$name', ({ open }) => {
  test('a deactivation is one statement, and so is a revocation, including its entry in the list of revocations', async () => {
    const dialect = await open()
    await migrate({ dialect })
    const ran: string[] = []
    const watched: SqlDialect = {
      ...dialect,
      all: (statement, ...rest) => (ran.push(statement), dialect.all(statement, ...rest)),
    }
    const storage = await createSqlStorage({ dialect: watched, issuer })
    await storage.users.insert(aUser())
    await storage.families.insert(aFamilyRecord())
    ran.length = 0

    await storage.users.deactivate(userId('user-1'), now)
    await storage.families.revoke(aFamilyRecord().familyId, now)

    expect(ran).toHaveLength(2)
    expect((await records(storage)).map(({ revocation }) => revocation.kind)).toEqual(['generation', 'family'])
  })

  test('0007: an existing issuer has no list of earlier revocations, and revoked tokens stay revoked', async () => {
    const dialect = await open()
    for (const script of migrationScripts(dialect.engine).slice(0, 6)) await dialect.atomically(script.statements)
    const revoke = (tokenId: string) =>
      `INSERT INTO mintmark_claims (issuer, purpose, value_digest, expires_at) VALUES ('${issuer}', 'revoked_jti', '${usedValueDigest(tokenId)}', ${now + 600})`
    await dialect.atomically([aClientRow(dialect), revoke('before')])

    const before = await clockOf(dialect)
    await migrate({ dialect })
    const after = await clockOf(dialect)
    // A process of the previous version that is still running may do this.
    await dialect.atomically([revoke('meanwhile')])

    const storage = await createSqlStorage({ dialect, issuer })
    const another = await createSqlStorage({ dialect, issuer: 'https://another.example' })
    const completeSince = async ({ revocations }: AdminStorage) =>
      (await revocations.list({ from: undefined, revokedSince: now, limit: 1 })).completeSince
    expect(await completeSince(storage)).toBeGreaterThanOrEqual(before + 60)
    expect(await completeSince(storage)).toBeLessThanOrEqual(after + 60)
    expect(await completeSince(another)).toBe(0)
    for (const tokenId of ['before', 'meanwhile'])
      expect(await storage.revocations.isTokenRevoked(tokenId, now)).toBe(true)
    expect(await records(storage)).toEqual([])
  })
})

test('0007: PostgreSQL: the list is complete only since a time after the migration has waited for a table', async () => {
  const database = await aPostgres()
  const [dialect, observer] = [toPostgresDialect(database.pool()), database.pool()]
  for (const script of migrationScripts(dialect.engine).slice(0, 6)) await dialect.atomically(script.statements)
  await dialect.atomically([aClientRow(dialect)])
  const other = await observer.connect()

  await other.query('BEGIN; LOCK TABLE mintmark_users IN ROW EXCLUSIVE MODE')
  const migrating = migrate({ dialect })
  await untilMigrationHasWaited(observer)
  const { rows } = await observer.query<{ readonly at: string }>(
    'UPDATE mintmark_clients SET disabled_at = extract(epoch FROM clock_timestamp()) RETURNING disabled_at AS at',
  )
  await other.query('COMMIT')
  other.release()
  await migrating

  const { revocations } = await createSqlStorage({ dialect, issuer })
  const { records: listed, completeSince } = await revocations.list({
    from: undefined,
    revokedSince: epochSeconds(0),
    limit: 1,
  })
  expect([listed, completeSince - 60 >= Number(rows[0]?.at)]).toEqual([[], true])
})

test('PostgreSQL: a revocation waits until an earlier one is committed, so that a reader of the list misses neither', async () => {
  const database = await aPostgres()
  const dialect = toPostgresDialect(database.pool())
  await migrate({ dialect })
  const storage = await createSqlStorage({ dialect, issuer })
  await storage.users.insert(aUser())
  await storage.clients.insert(aClientRecord())
  await storage.grants.insert(aGrantRecord())
  // Creates the row of the last position first: other writers would wait for its creation in any case.
  await storage.revocations.revokeToken({ tokenId: 'first', expiresAt: epochSeconds(now + 60), now })
  const other = await database.pool().connect()

  await other.query('BEGIN')
  await other.query(`UPDATE mintmark_users SET active = false, generation = generation + 1 WHERE user_id = 'user-1'`)
  const revoking = storage.grants.revoke(grantId('grant-1'), now)
  const [waiting] = await Promise.race([revoking.then(() => ['overtook']), untilLockIsAwaited(database.pool())])
  const meanwhile = await records(storage)
  await other.query('COMMIT')
  other.release()
  await revoking

  expect([waiting, meanwhile.length]).toEqual(['waits', 1])
  expect((await records(storage)).map(({ position, revocation }) => [position, revocation.kind])).toEqual([
    [1, 'token'],
    [2, 'generation'],
    [3, 'grant'],
  ])
})

/** Returns the statement that inserts a client before migration 7. */
function aClientRow(dialect: SqlDialect): string {
  const columns = Object.entries({
    issuer: `'${issuer}'`,
    client_id: `'client-1'`,
    client_name: `''`,
    token_endpoint_auth_method: `'none'`,
    ...Object.fromEntries(
      ['secrets', 'redirect_uris', 'grant_types', 'scopes', 'served_audiences'].map((name) => [name, `'[]'`]),
    ),
    secret_uses: `'{}'`,
    id_token_signed_response_alg: `''`,
    require_auth_time: dialect.engine.name === 'sqlite' ? '0' : 'false',
    created_at: '0',
    version: '1',
  })
  return `INSERT INTO mintmark_clients (${columns.map(([name]) => name).join(', ')}) VALUES (${columns.map(([, value]) => value).join(', ')})`
}

/** Returns the time by the clock of the database, in seconds. */
async function clockOf(dialect: SqlDialect): Promise<number> {
  const [row] = await dialect.all(`SELECT ${dialect.engine.types.now} AS now`, [])
  return Number(row?.values[0])
}

/** Waits until the migration has waited for a lock for more than a second. */
async function untilMigrationHasWaited(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`SELECT 1 FROM pg_stat_activity
      WHERE application_name = current_setting('application_name') AND wait_event_type = 'Lock' AND query LIKE 'CREATE TRIGGER%'
      AND clock_timestamp() - xact_start > interval '1.5 seconds'`)
    if (rows.length > 0) return
  }
}

/** Waits until a statement waits for another transaction. */
async function untilLockIsAwaited(pool: Pool): Promise<readonly string[]> {
  for (;;) {
    const { rows } = await pool.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE application_name = current_setting('application_name') AND wait_event_type = 'Lock' AND query LIKE 'update "mintmark_grants"%'`,
    )
    if (rows.length > 0) return ['waits']
  }
}

async function records({ revocations }: AdminStorage): Promise<readonly RevocationRecord[]> {
  return (await revocations.list({ from: undefined, revokedSince: epochSeconds(0), limit: 100 })).records
}

async function aPostgres() {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  return database
}

async function aFile(): Promise<SqlDialect> {
  const dialect = openSqliteDialect(':memory:')
  onTestFinished(() => dialect.close())
  return dialect
}
