import { epochSeconds, grantId, userId, type RevocationRecord, type AdminStorage } from '@mintmark/storage-interface'
import { aClientRecord, aFamilyRecord, aGrantRecord, aUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, migrate, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
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
