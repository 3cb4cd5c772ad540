import { chmod, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { aCodeRecord, aGrantRecord, aUser } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { aFolder } from './sqlite-under-test.ts'

const issuer = 'https://issuer.example'

test('opens a file so that a killed process or a power cut loses nothing that was confirmed', async () => {
  const { dialect } = await aFile()

  expect(await pragma(dialect, 'journal_mode')).toBe('wal')
  expect(await pragma(dialect, 'synchronous')).toBe(2) // FULL
  expect(await pragma(dialect, 'busy_timeout')).toBe(5000)
  expect(await pragma(dialect, 'foreign_keys')).toBe(1)
  expect(await pragma(dialect, 'trusted_schema')).toBe(0)
})

test('copies the write-ahead log into the file after 4,000 pages, because most pages are soon written again', async () => {
  const { dialect } = await aFile()

  expect(await pragma(dialect, 'wal_autocheckpoint')).toBe(4000)
})

test('creates files that only their owner can read, and keeps the mode of a file that exists', async () => {
  const { dialect, file } = await aFile({ migrate: 'on-open' })
  await createSqlStorage({ dialect, issuer })
  const folder = dirname(file)
  const modes = async () =>
    Promise.all(
      (await readdir(folder)).map(async (name) => ((await stat(join(folder, name))).mode & 0o777).toString(8)),
    )

  // The database, its write-ahead log and the index of the log.
  expect(await modes()).toEqual(['600', '600', '600'])

  await dialect.close()
  await chmod(file, 0o640)
  await openSqliteDialect(file).close()
  expect(await modes()).toEqual(['640'])
})

test('creates no file whose name is a URI or the name of a database in memory', async () => {
  const folder = await aFolder()
  const previous = process.cwd()
  process.chdir(folder.path)
  onTestFinished(async () => {
    process.chdir(previous)
    await folder.remove()
  })

  await openSqliteDialect(':memory:').close()
  await openSqliteDialect('file:test.db').close()

  expect(await readdir(folder.path)).toEqual(['test.db'])
})

test('uses synchronous normal only if configured', async () => {
  const { dialect } = await aFile({ synchronous: 'normal' })

  expect(await pragma(dialect, 'journal_mode')).toBe('wal')
  expect(await pragma(dialect, 'synchronous')).toBe(1)
})

test('refuses a database that cannot have a write-ahead log', () => {
  expect(() => openSqliteDialect('file::memory:?cache=shared')).toThrow(
    'The file system of the SQLite database cannot share it between processes (no write-ahead log)',
  )
})

test('keeps undo records of statements in memory, and sorts migrations in a file', async () => {
  const { dialect } = await aFile()
  expect(await pragma(dialect, 'temp_store')).toBe(2) // MEMORY

  await dialect.atomically(['CREATE TABLE seen AS SELECT temp_store FROM pragma_temp_store'])
  await expect(dialect.atomically(['CREATE TABLE seen (again TEXT)'])).rejects.toThrow('seen')

  expect(await dialect.all('SELECT temp_store FROM seen', [])).toMatchObject([{ values: [0] }]) // DEFAULT: a file
  expect(await pragma(dialect, 'temp_store')).toBe(2)
})

test.for(['lasting', 'long'] as const)(
  'a %s query that fails at a row does not keep the database at its state of that moment',
  async (lifetime) => {
    const { dialect, file } = await aFile()
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    // JavaScript has no such integer.
    other.exec('CREATE TABLE numbers (bytes INTEGER); INSERT INTO numbers VALUES (1), (9223372036854775807)')
    const read = dialect.all('SELECT bytes FROM numbers', [], { lifetime, maxBytes: 10 })
    await expect(read).rejects.toThrow('too large')
    other.exec('INSERT INTO numbers VALUES (2)')

    await dialect.transact([{ statement: 'INSERT INTO numbers VALUES (3)', parameters: [], role: 'step' }])

    expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
  },
)

test('finds written records when the file is opened again', async () => {
  const { dialect, file } = await aFile({ migrate: 'on-open' })
  const before = await createSqlStorage({ dialect, issuer })
  await before.grants.insert(aGrantRecord())
  await dialect.close()

  const reopened = openSqliteDialect(file)
  onTestFinished(() => reopened.close())
  const after = await createSqlStorage({ dialect: reopened, issuer })

  expect(await after.grants.listByUser(aGrantRecord().userId)).toEqual([aGrantRecord()])
})

test('a query over many rows lets other work of the process run', async () => {
  const { dialect } = await aFile({ migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer })
  await storage.users.insert(aUser())
  const query = { isAnswered: false }
  let found = 0
  const counting =
    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) AS total, (SELECT count(*) FROM mintmark_users) AS users FROM n'

  const counted = dialect.all(counting, [3_000_000], { lifetime: 'passing' }).finally(() => (query.isAnswered = true))
  for (; !query.isAnswered; found += 1) {
    await setImmediate()
    await storage.users.find(aUser().userId)
  }

  expect(await counted).toMatchObject([{ values: [3_000_000, 1] }])
  expect(found).toBeGreaterThan(10)
})

test('reports a wrong query over many rows, and a closed database, in the same way as for other queries', async () => {
  const { dialect } = await aFile()

  await expect(dialect.all('SELECT x FROM nowhere', [], { lifetime: 'passing' })).rejects.toThrow('nowhere')
  await dialect.close()

  await expect(dialect.all('SELECT 1', [], { lifetime: 'passing' })).rejects.toBeInstanceOf(StorageUnavailableError)
})

test('an aborted query that waits for its turn never runs, and the caller of an aborted query that runs does not wait for it', async () => {
  const { dialect } = await aFile({ migrate: 'on-open' })
  const counting = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n'
  const running = new AbortController()
  const waiting = new AbortController()
  const answered: string[] = []
  const ask = (name: string, statement: string, signal?: AbortSignal) =>
    dialect
      .all(statement, statement === counting ? [3_000_000] : [], { lifetime: 'passing', signal })
      .finally(() => answered.push(name))

  const first = ask('first', counting, running.signal)
  const second = ask('second', counting)
  // It would fail with another error if it ran.
  const third = ask('third', 'SELECT x FROM nowhere', waiting.signal)
  waiting.abort()
  running.abort()

  await expect(third).rejects.toBe(waiting.signal.reason)
  await expect(first).rejects.toBe(running.signal.reason)
  await expect(dialect.all('SELECT 1', [], { signal: running.signal })).rejects.toBe(running.signal.reason)
  expect(await second).toHaveLength(1)
  expect(answered.at(-1)).toBe('second')
})

test('shares one connection between the storages of several issuers', async () => {
  const { dialect } = await aFile({ migrate: 'on-open' })
  const first = await createSqlStorage({ dialect, issuer })
  const second = await createSqlStorage({ dialect, issuer: 'https://other.example' })

  await first.users.insert(aUser())

  expect(await second.users.find(aUser().userId)).toBeUndefined()
  expect(await first.users.find(aUser().userId)).toBeDefined()
})

test('reports an outage when the database was closed', async () => {
  const { dialect } = await aFile({ migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer })
  await dialect.close()
  await dialect.close()

  const { digest, clientId, issuedAt } = aCodeRecord()
  await expect(storage.codes.consume(digest, clientId, issuedAt)).rejects.toBeInstanceOf(StorageUnavailableError)
  await expect(storage.users.find(aUser().userId)).rejects.toBeInstanceOf(StorageUnavailableError)
})

test('reports an outage and writes nothing when another process keeps the lock', async () => {
  const { dialect, file } = await aFile({ migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer })
  await dialect.all('PRAGMA busy_timeout = 1', [])
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')

  await expect(storage.codes.insert(aCodeRecord())).rejects.toMatchObject({
    name: 'StorageUnavailableError',
    cause: { errcode: 5 },
  })

  other.exec('ROLLBACK')
  other.close()
  const { digest, clientId, issuedAt } = aCodeRecord()
  expect(await storage.codes.find(digest, clientId, issuedAt)).toBeUndefined()
})

test('reports an outage for a file that is not a database or cannot be created', async () => {
  const folder = await aFolder()
  onTestFinished(() => folder.remove())
  await writeFile(join(folder.path, 'letter.txt'), 'Dear reader, '.repeat(1000))

  expect(() => openSqliteDialect(join(folder.path, 'letter.txt'))).toThrow(StorageUnavailableError)
  expect(() => openSqliteDialect(join(folder.path, 'missing', 'test.db'))).toThrow(StorageUnavailableError)
})

test('reports an outage while a unique attribute is declared as an outage, and not as a repeated value', async () => {
  const { dialect } = await aFile({ migrate: 'on-open' })
  await createSqlStorage({ dialect, issuer })
  const full: SqlDialect = { ...dialect, atomically: () => Promise.reject(new StorageUnavailableError('disk full')) }
  const { provisionedUsers } = await createSqlStorage({ dialect: full, issuer })
  const attribute = { extension: undefined, name: 'badge', subName: undefined, multiValued: false }

  const declaring = provisionedUsers.indexAttributes([
    { attribute, elementPart: undefined, isText: true, isUnique: true },
  ])

  await expect(declaring).rejects.toThrow('disk full')
})

test('does not report a mistake in SQL as an outage', async () => {
  const { dialect } = await aFile()

  const mistake = await dialect.all('SELECT x FROM nowhere', []).catch((error: unknown) => error)

  expect(mistake).not.toBeInstanceOf(StorageUnavailableError)
  expect(String(mistake)).toContain('no such table')
})

async function aFile(
  options?: Parameters<typeof openSqliteDialect>[1],
): Promise<{ readonly dialect: SqlDialect; readonly file: string }> {
  const folder = await aFolder()
  const file = join(folder.path, 'test.db')
  const dialect = openSqliteDialect(file, options)
  onTestFinished(async () => {
    await dialect.close()
    await folder.remove()
  })
  return { dialect, file }
}

async function pragma(dialect: SqlDialect, name: string): Promise<unknown> {
  const [row] = await dialect.all(`PRAGMA ${name}`, [])
  return row?.values[0]
}
