import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { epochSeconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { aCodeRecord, aDelivery, aFamilyRecord, aProvisionedUser, aUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { pendingMigrations } from '@mintmark/storage-sql/command'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import type { Pool, RowDataPacket } from 'mysql2'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { aMariadbPool } from './support/mariadb-database.ts'
import { startMariadb, type MariadbServer } from './support/mariadb-server.ts'
import { migrationNames as all } from './support/migration-names.ts'

const issuer = 'https://issuer.example'
const now = epochSeconds(1_800_000_000)

let server: MariadbServer
beforeAll(async () => void (server = await startMariadb()), 60_000)
afterAll(() => server.stop())

test('rejects a database with pending migrations, and migrates it once', async () => {
  const dialect = toMariadbDialect(await aPool())

  await expect(createSqlStorage({ dialect, issuer })).rejects.toMatchObject({ kind: 'behind', migrations: all })
  expect(await migrate({ dialect })).toEqual(all)
  expect(await migrate({ dialect })).toEqual([])
  await expect(createSqlStorage({ dialect, issuer })).resolves.toMatchObject({ issuer })
})

test('four processes that migrate a database at once all succeed, and one applies each migration', async () => {
  const dialect = toMariadbDialect(await aPool())

  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate({ dialect })))

  expect(applied.flat().toSorted()).toEqual(all)
})

test('a migration that fails halfway stays pending, and the next attempt fails too', async () => {
  const pool = await aPool()
  const dialect = toMariadbDialect(pool)
  await pool.promise().query('CREATE TABLE mintmark_sessions (mine INT)')

  await expect(migrate({ dialect })).rejects.toThrow('mintmark_sessions')

  await expect(migrate({ dialect })).rejects.toThrow('already exists')
  expect(await pendingMigrations({ dialect })).toEqual(all)
})

test('law: of many consumptions of a code at once, one wins', async () => {
  const [one, other] = await twoStorages()

  for (let round = 0; round < 10; round += 1) {
    const code = aCodeRecord({ expiresAt: epochSeconds(now + 60) })
    const digest = `${code.digest.slice(0, -2)}${round + 10}` as typeof code.digest
    await one.codes.insert({ ...code, digest })
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? one : other).codes.consume(digest, code.clientId, now),
      ),
    )
    expect(results.map(({ outcome }) => outcome).toSorted()).toEqual([...Array<string>(7).fill('replayed'), 'won'])
  }
})

test('law: of many uses of a value at once, one is fresh', async () => {
  const [one, other] = await twoStorages()

  for (let round = 0; round < 10; round += 1) {
    const use = {
      purpose: 'client_assertion_jti',
      value: `value-${round}`,
      expiresAt: epochSeconds(now + 60),
      now,
    } as const
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : other).replays.markUsed(use)),
    )
    expect(results.filter(({ outcome }) => outcome === 'fresh')).toHaveLength(1)
  }
})

test('law: revocations at once all get a position of their own', async () => {
  const [one, other] = await twoStorages()
  const family = aFamilyRecord()
  const families = Array.from({ length: 12 }, (_, index) => ({
    ...family,
    familyId: `family-${index}` as typeof family.familyId,
    refresh: undefined,
  }))
  await Promise.all(families.map((each) => one.families.insert(each)))

  await Promise.all(
    families.map(({ familyId }, index) => (index % 2 === 0 ? one : other).families.revoke(familyId, now)),
  )

  const { records } = await one.revocations.list({ from: undefined, revokedSince: now, limit: 20 })
  expect(records.map(({ position }) => position)).toEqual(families.map((_, index) => index + 1))
})

test('a lease leaves out a delivery that another transaction has locked, and does not wait for it', async () => {
  const pool = await aPool()
  const storage = await createSqlStorage({ dialect: toMariadbDialect(pool, { migrate: 'on-open' }), issuer })
  const { channel, createdAt, expiresAt } = aDelivery('any')
  const ids = Array.from({ length: 300 }, (_, index) => `delivery-${index + 100}`)
  await storage.deliveries.enqueue(ids.map((id) => aDelivery(id, { recipient: id })))
  const other = await pool.promise().getConnection()
  await other.query('START TRANSACTION')
  await other.query(
    `SELECT 1 FROM mintmark_deliveries WHERE issuer = '${issuer}' AND delivery_id = 'delivery-101' FOR UPDATE`,
  )

  const leased = await storage.deliveries.lease({
    channel,
    now: createdAt,
    until: expiresAt,
    token: 'worker-1',
    limit: 3,
    perRecipient: 1,
    except: [],
  })
  await other.query('ROLLBACK')
  other.release()

  expect(leased.map(({ deliveryId }) => deliveryId)).toEqual(['delivery-100', 'delivery-102', 'delivery-103'])
})

test('reports an outage, and works again after the server restarts', async () => {
  const own = await startMariadb()
  onTestFinished(() => own.stop())
  const pool = await aMariadbPool(own.port)
  onTestFinished(() => ended(pool))
  const storage = await createSqlStorage({ dialect: toMariadbDialect(pool, { migrate: 'on-open' }), issuer })
  const { userId } = aUser()
  await storage.users.insert(aUser())
  const ada = aProvisionedUser('ada')
  await storage.provisionedUsers.insert(ada)

  await own.kill()
  await expect(storage.users.deactivate(userId, now)).rejects.toBeInstanceOf(StorageUnavailableError)
  await expect(storage.provisionedUsers.remove({ ...ada, version: undefined, now })).rejects.toBeInstanceOf(
    StorageUnavailableError,
  )
  await own.restart()

  expect(await storage.users.find(userId)).toMatchObject({ active: true })
  const page = { kind: 'index', offset: 0, limit: 10 } as const
  expect(
    await storage.provisionedUsers.list({ providerId: ada.providerId, filter: undefined, sort: undefined, page }),
  ).toMatchObject({ outcome: 'listed', total: 1, records: [{ userId: ada.userId }] })
}, 60_000)

test('a server that has become read-only is an outage, for reads as well', async () => {
  const [storage] = await twoStorages()
  const admin = await aMariadbPool(server.port)
  onTestFinished(() => ended(admin))
  await admin.promise().query(`CREATE USER IF NOT EXISTS plain@'127.0.0.1'`)
  await admin.promise().query(`GRANT ALL ON *.* TO plain@'127.0.0.1'`)
  await admin.promise().query(`REVOKE SUPER, READ_ONLY ADMIN ON *.* FROM plain@'127.0.0.1'`)
  const pool = await aPool({ user: 'plain' })
  const dialect = toMariadbDialect(pool, { migrate: 'on-open' })
  const plain = await createSqlStorage({ dialect, issuer })

  await admin.promise().query('SET GLOBAL read_only = 1')
  const refusal = await plain.users.insert(aUser()).catch((error: unknown) => error)
  const provisioned = await plain.provisionedUsers.insert(aProvisionedUser('ada')).catch((error: unknown) => error)
  const read = await plain.users.find(aUser().userId).catch((error: unknown) => error)
  await admin.promise().query('SET GLOBAL read_only = 0')

  expect([refusal, provisioned, read]).toEqual([1, 2, 3].map(() => expect.any(StorageUnavailableError) as unknown))
  expect(await storage.users.find(aUser().userId)).toBeUndefined()
})

test('mintmark-migrate applies and lists the migrations of a MariaDB database', async () => {
  const pool = await aPool()
  const [rows] = await pool.promise().query<RowDataPacket[]>('SELECT database() AS name')
  const url = `mariadb://root@127.0.0.1:${server.port}/${String(rows[0]?.['name'])}`

  const before = await mintmarkMigrate('status', '--mariadb', url)
  const applied = await mintmarkMigrate('apply', '--mariadb', url)
  const after = await mintmarkMigrate('status', '--mariadb', url)
  const unreadable = await mintmarkMigrate('status', '--mariadb', 'mariadb://root:pass-word@127.0.0.1')

  expect(before).toMatchObject({ code: 1, output: all.map((name) => `Pending: ${name}.\n`).join('') })
  expect(applied).toMatchObject({ code: 0, output: all.map((name) => `Applied ${name}.\n`).join('') })
  expect(after).toMatchObject({ code: 0, output: 'Up to date.\n' })
  expect(unreadable.code).toBe(2)
  expect(unreadable.errors).not.toContain('pass-word')
})

async function twoStorages() {
  const pool = await aPool()
  const dialects = [toMariadbDialect(pool, { migrate: 'on-open' }), toMariadbDialect(pool)] as const
  return [
    await createSqlStorage({ dialect: dialects[0], issuer }),
    await createSqlStorage({ dialect: dialects[1], issuer }),
  ] as const
}

async function aPool(settings?: { readonly user: string }): Promise<Pool> {
  const pool = await aMariadbPool(server.port, settings)
  onTestFinished(() => ended(pool))
  return pool
}

const ended = (pool: Pool): Promise<void> => new Promise((resolve) => pool.end(() => resolve()))

async function mintmarkMigrate(...args: readonly string[]): Promise<{ code: unknown; output: string; errors: string }> {
  const script = fileURLToPath(new URL('../src/migrate-command.ts', import.meta.url))
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=@mintmark/source', script, ...args], (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output, errors }),
    )
  })
}
