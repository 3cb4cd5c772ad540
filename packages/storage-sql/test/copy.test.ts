import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type providerId, sessionId, userId, type AdminStorage } from '@mintmark/storage-interface'
import {
  aDigest,
  aProvisionedState,
  aProvisionedUser,
  aSessionRecord,
  aUser,
} from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { allRecords } from '../../storage-interface/src/contract/record-kinds.ts'
import { fullClient, fullProvisionedUser } from '../../storage-interface/src/contract/complete-records.ts'
import { copyRows } from '../src/command/copy/copied-rows.ts'
import { copyDatabase } from '../src/command/copy/copy-database.ts'
import { postgresTarget } from '../src/command/copy/postgres-copy.ts'
import { sqliteSource } from '../src/command/copy/sqlite-copy.ts'
import { aFolder } from './sqlite-under-test.ts'
import { changedPool } from './support/changed-pool.ts'
import { aMigratedMariadbDatabase } from './support/mariadb-of-the-run.ts'
import { aDatabase, aMigratedDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'

/** Databases with the schema, each of a kind. */
const kinds = {
  SQLite: async () => {
    const folder = await aFolder()
    onTestFinished(() => folder.remove())
    const address = join(folder.path, 'mintmark.db')
    return { address, open: () => openSqliteDialect(address, { migrate: 'on-open', synchronous: 'normal' }) }
  },
  PostgreSQL: async () => {
    const database = await aMigratedDatabase()
    onTestFinished(() => database.remove())
    const pool = database.pool()
    return { address: database.url, open: () => toPostgresDialect(pool) }
  },
  MariaDB: async () => {
    const { pools, url, remove } = await aMigratedMariadbDatabase()
    onTestFinished(remove)
    return { address: url, open: () => toMariadbDialect(pools[0]) }
  },
}

type Kind = keyof typeof kinds
const names = Object.keys(kinds) as Kind[]
const directions = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const))

test.for(directions)(
  'copies everything from %s to %s without changing a character, and the copy can be used',
  async ([from, to]) => {
    const [source, target] = [await kinds[from](), await kinds[to]()]
    const written = source.open()
    const original = await createSqlStorage({ dialect: written, issuer })
    for (const { store, make, insert } of allRecords)
      expect(await insert(original, make(store))).toEqual({ outcome: 'inserted' })
    await original.clients.insert(fullClient)
    await original.provisionedUsers.insert(fullProvisionedUser)
    const { providerId: owner } = fullProvisionedUser
    const state = aProvisionedState('odd', { comparable: { userName: 'odd', nickName } })
    await original.provisionedUsers.insert(aProvisionedUser('odd', { providerId: owner, state }))
    // More rows than one statement inserts.
    await insertSessions(original, 450)
    const expected = await everything(original)
    await written.close()
    const empty = target.open()
    await createSqlStorage({ dialect: empty, issuer })
    await empty.close()

    const copied = await copyDatabase({ from: source.address, to: target.address })

    expect(copied).toContainEqual({ name: 'mintmark_sessions', rows: 451 })
    const dialect = target.open()
    onTestFinished(() => dialect.close())
    const copy = await createSqlStorage({ dialect, issuer })
    expect(await everything(copy)).toEqual(expected)
    expect(await usersNamed(copy, nickName)).toMatchObject({ outcome: 'listed', total: 1 })
    // The triggers work again after the copy: they count a new user, and record it after the earlier changes.
    const before = await changeNumbers(dialect)
    await copy.provisionedUsers.insert(aProvisionedUser('later', { providerId: owner }))
    expect(await totalOf(copy)).toBe(expected.total + 1)
    const after = await changeNumbers(dialect)
    expect(after.length).toBeGreaterThan(before.length)
    expect(Math.min(...after.filter((number) => !before.includes(number)))).toBeGreaterThan(Math.max(...before))
  },
)

/** PostgreSQL can store neither character. */
const nickName = 'a\u0000\u001A'

const changeNumbers = async (dialect: SqlDialect): Promise<readonly number[]> =>
  (await dialect.all('SELECT sequence FROM mintmark_changes', [])).map(({ values: [number] }) => Number(number))

const insertSessions = (storage: AdminStorage, count: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      storage.sessions.insert({
        ...aSessionRecord(),
        digest: aDigest(`s${index}`),
        sessionId: sessionId(`s${index}`),
      }),
    ),
  )

test.for(names)('rejects a %s database that is not empty, and writes nothing', async (to) => {
  const [source, target] = [await kinds.SQLite(), await kinds[to]()]
  const written = source.open()
  const original = await createSqlStorage({ dialect: written, issuer })
  await original.clients.insert(fullClient)
  await written.close()
  const opened = target.open()
  const filled = await createSqlStorage({ dialect: opened, issuer })
  await filled.provisionedUsers.insert(aProvisionedUser('there'))
  await opened.close()

  await expect(copyDatabase({ from: source.address, to: target.address })).rejects.toThrow(
    /^The target is not empty: mintmark_/,
  )

  const dialect = target.open()
  onTestFinished(() => dialect.close())
  const storage = await createSqlStorage({ dialect, issuer })
  expect(await storage.clients.find(fullClient.clientId)).toBeUndefined()
  expect(await totalOf(storage)).toBe(0)
  expect(await usersOf(storage, aProvisionedUser('there').providerId)).toMatchObject({ outcome: 'listed', total: 1 })
})

test('rejects an identifier that is too long for MariaDB, names the table, and writes nothing', async () => {
  const [source, target] = [await kinds.SQLite(), await kinds.MariaDB()]
  const written = source.open()
  const original = await createSqlStorage({ dialect: written, issuer })
  await original.users.insert({ ...aUser(), userId: userId('u'.repeat(300)) })
  await written.close()

  await expect(copyDatabase({ from: source.address, to: target.address })).rejects.toThrow(
    /^A value of mintmark_users is longer than MariaDB can store: Data too long for column 'user_id'/,
  )

  const storage = await createSqlStorage({ dialect: target.open(), issuer })
  expect(await storage.users.find(userId('u'.repeat(300)))).toBeUndefined()
})

test('inserts many rows with statements of at most 5000 values', async () => {
  const { file, source, pool } = await twoDatabases()
  await insertSessions(source, 450)
  const sizes: number[] = []
  const watched = changedPool(pool, (client) => (statement) => {
    if (statement.text.startsWith('INSERT INTO mintmark_sessions ')) sizes.push(statement.values?.length ?? 0)
    return client.query(statement)
  })

  const written = await postgresTarget(watched)
  await copyRows(sqliteSource(file), written)
  await written.close()

  expect(sizes.length).toBeGreaterThan(1)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5000)
})

test('rejects a target that another connection writes to during the copy', async () => {
  const { file, source, pool, url, target, close } = await twoDatabases()
  await source.clients.insert(fullClient)
  await close()
  const other = await pool.connect()

  await other.query(`BEGIN; INSERT INTO mintmark_user_totals (issuer, total) VALUES ('${issuer}', 1)`)
  const copying = copyDatabase({ from: file, to: url }).catch((error: unknown) => error)
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

  const { code, output } = await mintmarkMigrate('copy', '--from', file, '--to', url)

  expect([code, output]).toEqual([0, expect.stringContaining('Copied 1 rows of mintmark_clients.')])
  expect(await target.clients.find(fullClient.clientId)).toEqual(fullClient)
})

test('mintmark-migrate copy rejects a file that a server still has open, and writes nothing', async () => {
  const { file, source, url, target, close } = await twoDatabases()
  await source.clients.insert(fullClient)

  const refused = await mintmarkMigrate('copy', '--from', file, '--to', url)

  expect(refused).toMatchObject({
    code: 2,
    output: '',
    errors: expect.stringMatching(/^Another process has \S+ open: stop every server/) as string,
  })
  await expect(copyDatabase({ from: file, to: url })).rejects.toThrow('Another process has')
  expect(await target.clients.find(fullClient.clientId)).toBeUndefined()
  await close()
  expect(await mintmarkMigrate('copy', '--from', file, '--to', url)).toMatchObject({ code: 0 })
})

test('mintmark-migrate copy rejects a schema with pending migrations', async () => {
  const { file, close } = await twoDatabases()
  await close()
  const database = await aDatabase()
  onTestFinished(() => database.remove())

  const { code, errors } = await mintmarkMigrate('copy', '--from', file, '--to', database.url)

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

  await expect(copyDatabase({ from: file, to: empty.url })).rejects.toThrow('run apply on each of them first')
  await expect(copyDatabase({ from: old, to: url })).rejects.toThrow('run apply on each of them first')
  expect(await copyDatabase({ from: file, to: url })).not.toEqual([])
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

  const { code, errors } = await mintmarkMigrate('copy', '--from', file, '--to', stranger.href)

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

const page = { kind: 'index', offset: 0, limit: 1 } as const

const usersOf = (storage: AdminStorage, owner: ReturnType<typeof providerId>) =>
  storage.provisionedUsers.list({ providerId: owner, filter: undefined, sort: undefined, page })

function usersNamed(storage: AdminStorage, value: string) {
  const attribute = { extension: undefined, name: 'nickName', subName: undefined, multiValued: false }
  const filter = { kind: 'text', attribute, operator: 'eq', value } as const
  return storage.provisionedUsers.list({ providerId: fullProvisionedUser.providerId, filter, sort: undefined, page })
}

async function totalOf(storage: AdminStorage): Promise<number> {
  const listed = await usersOf(storage, fullProvisionedUser.providerId)
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
