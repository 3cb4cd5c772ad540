import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { providerId, sessionId, type AdminStorage } from '@mintmark/storage-interface'
import { aDigest, aProvisionedState, aProvisionedUser, aSessionRecord } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { allRecords } from '../../storage-interface/src/contract/record-kinds.ts'
import { fullClient, fullProvisionedUser } from '../../storage-interface/src/contract/complete-records.ts'
import { copyToPostgres } from '../src/command/copy-to-postgres.ts'
import { copyDatabase } from '../src/command/run-command.ts'
import { aFolder } from './sqlite-under-test.ts'
import { changedPool } from './support/changed-pool.ts'
import { aDatabase, aMigratedDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'

test('copies everything in a SQLite file to PostgreSQL without changing a character, and the copy can be used', async () => {
  const { file, source, pool, target } = await twoDatabases()
  for (const { store, make, insert } of allRecords)
    expect(await insert(source, make(store))).toEqual({ outcome: 'inserted' })
  await source.clients.insert(fullClient)
  await source.provisionedUsers.insert(fullProvisionedUser)
  // More rows than one statement inserts.
  const sessions = Array.from({ length: 450 }, (_, index) => `s${index}`)
  await Promise.all(
    sessions.map((label) =>
      source.sessions.insert({ ...aSessionRecord(), digest: aDigest(label), sessionId: sessionId(label) }),
    ),
  )

  const copied = await copyToPostgres({ file, pool })

  expect(copied).toContainEqual({ name: 'mintmark_sessions', rows: 451 })
  expect(await everything(target)).toEqual(await everything(source))
  expect(await target.clients.find(fullClient.clientId)).toEqual(await source.clients.find(fullClient.clientId))
  // The triggers work again after the copy: they count a new user.
  await target.provisionedUsers.insert(aProvisionedUser('later', { providerId: fullProvisionedUser.providerId }))
  expect(await totalOf(target)).toBe((await totalOf(source)) + 1)
})

test('copies JSON with characters that PostgreSQL cannot store, so that filters find them', async () => {
  const { file, source, pool, target } = await twoDatabases()
  const { providerId: owner, userId } = fullProvisionedUser
  const nickName = 'a\u0000\u001A'
  const state = aProvisionedState('odd', { comparable: { userName: 'odd', nickName } })
  await source.provisionedUsers.insert(aProvisionedUser('odd', { providerId: owner, userId, state }))

  await copyToPostgres({ file, pool })

  const attribute = { extension: undefined, name: 'nickName', subName: undefined, multiValued: false }
  const filter = { kind: 'text', attribute, operator: 'eq', value: nickName } as const
  const page = { kind: 'index', offset: 0, limit: 1 } as const
  expect(await target.provisionedUsers.list({ providerId: owner, filter, sort: undefined, page })).toMatchObject({
    outcome: 'listed',
    total: 1,
    records: [{ userId }],
  })
})

test('inserts many rows with statements of at most 5000 values', async () => {
  const { file, source, pool } = await twoDatabases()
  const sessions = Array.from({ length: 450 }, (_, index) => `s${index}`)
  await Promise.all(
    sessions.map((label) =>
      source.sessions.insert({ ...aSessionRecord(), digest: aDigest(label), sessionId: sessionId(label) }),
    ),
  )
  const sizes: number[] = []
  const watched = changedPool(pool, (client) => (statement) => {
    if (statement.text.startsWith('INSERT INTO mintmark_sessions ')) sizes.push(statement.values?.length ?? 0)
    return client.query(statement)
  })

  await copyToPostgres({ file, pool: watched })

  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5000)
})

test('rejects a target that is not empty, and writes nothing', async () => {
  const { file, source, pool, target } = await twoDatabases()
  await source.clients.insert(fullClient)
  await target.provisionedUsers.insert(aProvisionedUser('there'))

  await expect(copyToPostgres({ file, pool })).rejects.toThrow(/^The target is not empty: mintmark_/)

  expect(await target.clients.find(fullClient.clientId)).toBeUndefined()
})

test('rejects a target that another connection writes to during the copy', async () => {
  const { file, source, pool, target } = await twoDatabases()
  await source.clients.insert(fullClient)
  const other = await pool.connect()

  await other.query(`BEGIN; INSERT INTO mintmark_user_totals (issuer, total) VALUES ('${issuer}', 1)`)
  const copying = copyToPostgres({ file, pool }).catch((error: unknown) => error)
  await untilLockIsAwaited(pool)
  await other.query('COMMIT')
  other.release()

  expect(await copying).toMatchObject({ message: 'The target is not empty: mintmark_user_totals has rows' })
  expect(await target.clients.find(fullClient.clientId)).toBeUndefined()
})

test('mintmark-migrate copy copies the tables and prints their row counts', async () => {
  const { file, source, url, target, close } = await twoDatabases()
  await source.clients.insert(fullClient)
  await close()

  const { code, output } = await mintmarkMigrate('copy', '--sqlite', file, '--postgres', url)

  expect([code, output]).toEqual([0, expect.stringContaining('Copied 1 rows of mintmark_clients.')])
  expect(await target.clients.find(fullClient.clientId)).toEqual(fullClient)
})

test('mintmark-migrate copy rejects a file that a server still has open, and writes nothing', async () => {
  const { file, source, url, target, close } = await twoDatabases()
  await source.clients.insert(fullClient)

  const refused = await mintmarkMigrate('copy', '--sqlite', file, '--postgres', url)

  expect(refused).toMatchObject({
    code: 2,
    output: '',
    errors: expect.stringMatching(/^Another process has \S+ open: stop every server/) as string,
  })
  await expect(copyDatabase({ sqlite: file, postgres: url })).rejects.toThrow('Another process has')
  expect(await target.clients.find(fullClient.clientId)).toBeUndefined()
  await close()
  expect(await mintmarkMigrate('copy', '--sqlite', file, '--postgres', url)).toMatchObject({ code: 0 })
})

test('mintmark-migrate copy rejects a schema with pending migrations', async () => {
  const { file, close } = await twoDatabases()
  await close()
  const database = await aDatabase()
  onTestFinished(() => database.remove())

  const { code, errors } = await mintmarkMigrate('copy', '--sqlite', file, '--postgres', database.url)

  expect([code, errors]).toEqual([2, expect.stringContaining('run apply on each of them first')])
})

test('a copy needs the current schema in both databases', async () => {
  const { file, url, close } = await twoDatabases()
  await close()
  const [empty, folder] = [await aDatabase(), await aFolder()]
  onTestFinished(async () => {
    await empty.remove()
    await folder.remove()
  })
  const old = join(folder.path, 'old.db')
  await openSqliteDialect(old).close()

  await expect(copyDatabase({ sqlite: file, postgres: empty.url })).rejects.toThrow('run apply on each of them first')
  await expect(copyDatabase({ sqlite: old, postgres: url })).rejects.toThrow('run apply on each of them first')
  expect(await copyDatabase({ sqlite: file, postgres: url })).not.toEqual([])
})

test('mintmark-migrate reports missing privileges in one line, and writes nothing', async () => {
  const { file, source, pool, url, target, close } = await twoDatabases()
  await source.clients.insert(fullClient)
  await close()
  const stranger = new URL(url)
  stranger.username = 'stranger_of_the_copy'
  stranger.password = 'x'
  const { rows } = await pool.query<{ schema: string }>('SELECT current_schema() AS schema')
  const schema = rows[0]?.schema ?? ''
  await pool.query(`CREATE ROLE stranger_of_the_copy LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA ${schema} TO stranger_of_the_copy;
    GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO stranger_of_the_copy`)
  onTestFinished(
    async () => void (await pool.query('DROP OWNED BY stranger_of_the_copy; DROP ROLE stranger_of_the_copy')),
  )

  const { code, errors } = await mintmarkMigrate('copy', '--sqlite', file, '--postgres', stranger.href)

  expect([code, errors]).toEqual([
    2,
    expect.stringMatching(
      /^The PostgreSQL user lacks a permission \(must be owner of table mintmark_\w+\): use the user that owns [^\n]+\.\n$/,
    ),
  ])
  expect(await target.clients.find(fullClient.clientId)).toBeUndefined()
})

/** Waits until a statement waits for the lock of a table. */
async function untilLockIsAwaited(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`SELECT 1 FROM pg_stat_activity
      WHERE application_name = current_setting('application_name') AND wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE%'`)
    if (rows.length > 0) return
  }
}

async function twoDatabases() {
  const [folder, database] = [await aFolder(), await aMigratedDatabase()]
  const file = join(folder.path, 'mintmark.db')
  const dialect = openSqliteDialect(file, { migrate: 'on-open', synchronous: 'normal' })
  const pool = database.pool()
  const postgres = toPostgresDialect(pool)
  onTestFinished(async () => {
    await dialect.close()
    await folder.remove()
    await database.remove()
  })
  const [source, target] = [
    await createSqlStorage({ dialect, issuer }),
    await createSqlStorage({ dialect: postgres, issuer }),
  ]
  return { file, source, pool, url: database.url, target, close: () => dialect.close() }
}

const everything = async (storage: AdminStorage) => ({
  records: await Promise.all(allRecords.map(({ store, read }) => read(storage, store))),
  provisioned: await storage.provisionedUsers.find(fullProvisionedUser.providerId, fullProvisionedUser.userId),
  total: await totalOf(storage),
})

async function totalOf({ provisionedUsers }: AdminStorage): Promise<number> {
  const page = { kind: 'index', offset: 0, limit: 0 } as const
  const listed = await provisionedUsers.list({
    providerId: providerId(fullProvisionedUser.providerId),
    filter: undefined,
    sort: undefined,
    page,
  })
  return listed.outcome === 'listed' ? listed.total : Number.NaN
}

async function mintmarkMigrate(...args: readonly string[]): Promise<{ code: unknown; output: string; errors: string }> {
  const script = fileURLToPath(new URL('../src/migrate-command.ts', import.meta.url))
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=@mintmark/source', script, ...args], (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output, errors }),
    )
  })
}
