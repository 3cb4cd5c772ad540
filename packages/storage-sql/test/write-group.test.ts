import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createWriteGroup, type RunWrite } from '../src/sqlite/dialect.ts'
import { type SqlStep, UniqueViolationError } from '../src/dialect.ts'
import { aFolder } from './sqlite-under-test.ts'

test('commits the writes of one turn together, and a single write without BEGIN and COMMIT', async () => {
  const { database, insert } = await aGroup()
  const exec = vi.spyOn(database, 'exec')

  await Promise.all([insert('a'), insert('b'), insert('c')])
  expect(exec.mock.calls).toEqual([['BEGIN IMMEDIATE'], ['COMMIT']])
  exec.mockClear()
  await insert('d')

  expect(exec).not.toHaveBeenCalled()
  expect(namesIn(database)).toEqual(['a', 'b', 'c', 'd'])
})

test('confirms no write before another connection can see it', async () => {
  const { database, insert, file } = await aGroup()
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())

  const seen = await Promise.all(['a', 'b'].map(async (name) => insert(name).then(() => namesIn(other))))

  expect(seen).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
  expect(namesIn(database)).toEqual(['a', 'b'])
})

test('rejects a write that duplicates a key, and commits the others', async () => {
  const { database, insert } = await aGroup()

  const outcomes = await Promise.allSettled([insert('a'), insert('a'), insert('b')])

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(reasons(outcomes)).toEqual([expect.any(UniqueViolationError)])
  expect(namesIn(database)).toEqual(['a', 'b'])
})

test('a mistake in one write fails only that write', async () => {
  const { database, run, insert } = await aGroup()

  const outcomes = await Promise.allSettled([
    insert('a'),
    run(() => database.prepare('INSERT INTO nowhere VALUES (1)').all()),
    insert('b'),
  ])

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(String(reasons(outcomes)[0])).toContain('no such table')
})

test('writes nothing and rejects all writes when the disk is full halfway', async () => {
  const { database, insert } = await aGroup()
  database.exec('PRAGMA max_page_count = 4')

  const outcomes = await Promise.allSettled([insert('a'), insert('x'.repeat(100_000)), insert('b')])

  expect(outages(outcomes)).toBe(3)
  expect(namesIn(database)).toEqual([])
  await Promise.all([insert('c'), insert('d')])
  expect(namesIn(database)).toEqual(['c', 'd'])
})

test('writes nothing and rejects all writes when the commit fails', async () => {
  const { database, insert, run } = await aGroup()
  database.exec('CREATE TABLE notes (name TEXT REFERENCES names (name) DEFERRABLE INITIALLY DEFERRED) STRICT')

  const outcomes = await Promise.allSettled([
    insert('a'),
    run(() => database.prepare(`INSERT INTO notes VALUES ('missing')`).all()),
  ])

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(namesIn(database)).toEqual([])
  await insert('b')
  expect(namesIn(database)).toEqual(['b'])
})

test('writes nothing and rejects all writes when the error of one write has undone the earlier ones', async () => {
  const { database, insert, run } = await aGroup()
  await insert('taken')

  const outcomes = await Promise.allSettled([
    insert('a'),
    run(() => database.prepare(`INSERT OR ROLLBACK INTO names VALUES ('taken')`).all()),
    insert('b'),
  ])

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(namesIn(database)).toEqual(['taken'])
})

test('writes nothing and rejects all writes when one write reports an outage', async () => {
  const { database, insert, run } = await aGroup()
  const failing = (): never => {
    throw new StorageUnavailableError('The disk cannot be read')
  }

  const outcomes = await Promise.allSettled([insert('a'), run(failing), insert('b')])

  expect(outages(outcomes)).toBe(3)
  expect(namesIn(database)).toEqual([])
})

test('reports an outage for all writes when another process keeps the lock', async () => {
  const { database, insert, file } = await aGroup()
  database.exec('PRAGMA busy_timeout = 1')
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')

  const outcomes = await Promise.allSettled([insert('a'), insert('b')])
  other.exec('ROLLBACK')

  expect(outages(outcomes)).toBe(2)
  expect(namesIn(database)).toEqual([])
})

test('writes even if the tests of the host have stopped the timers', async () => {
  const { database, insert } = await aGroup()
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())

  await Promise.all([insert('a'), insert('b')])

  expect(namesIn(database)).toEqual(['a', 'b'])
})

test('closing runs pending writes first', async () => {
  const folder = await aFolder()
  onTestFinished(() => folder.remove())
  const file = join(folder.path, 'test.db')
  const dialect = openSqliteDialect(file)
  await dialect.atomically(['CREATE TABLE names (name TEXT NOT NULL) STRICT'])

  const writing = Promise.all(['a', 'b'].map((name) => dialect.all('INSERT INTO names VALUES (?)', [name])))
  await dialect.close()
  await writing

  const reopened = new DatabaseSync(file)
  onTestFinished(() => reopened.close())
  expect(namesIn(reopened)).toEqual(['a', 'b'])
})

test('a transaction among the writes of a turn is committed with them, and writes nothing if a guard or a statement fails', async () => {
  const { file, database } = await aGroup()
  const dialect = openSqliteDialect(file)
  onTestFinished(() => dialect.close())
  const insert = (name: string, role: SqlStep['role'] = 'step'): SqlStep => ({
    statement: 'insert into names values (?) on conflict do nothing returning name',
    parameters: [name],
    role,
  })
  const duplicate: SqlStep = { statement: 'insert into names values (?)', parameters: ['a'], role: 'step' }

  const outcomes = await Promise.allSettled([
    dialect.all('insert into names values (?)', ['a']),
    dialect.transact([insert('undone'), insert('a', 'guard')]),
    dialect.transact([insert('failed'), duplicate]),
    dialect.transact([insert('b', 'guard'), insert('c')]),
  ])

  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(reasons(outcomes)).toEqual([expect.any(UniqueViolationError)])
  expect(outcomes[1]).toMatchObject({ value: undefined })
  expect(outcomes[3]).toMatchObject({ value: [{ values: ['c'] }] })
  expect(namesIn(database)).toEqual(['a', 'b', 'c'])
})

interface Group {
  readonly database: DatabaseSync
  readonly file: string
  readonly run: RunWrite
  readonly insert: (name: string) => Promise<unknown>
}

async function aGroup(): Promise<Group> {
  const folder = await aFolder()
  const file = join(folder.path, 'test.db')
  const database = new DatabaseSync(file)
  onTestFinished(async () => {
    database.close()
    await folder.remove()
  })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; CREATE TABLE names (name TEXT NOT NULL) STRICT')
  database.exec('CREATE UNIQUE INDEX names_by_name ON names (name)')
  const run = createWriteGroup(database)
  const statement = database.prepare('INSERT INTO names VALUES (?)')
  return { database, file, run, insert: (name) => run(() => statement.all(name)) }
}

const namesIn = (database: DatabaseSync): readonly unknown[] =>
  database
    .prepare('SELECT name FROM names ORDER BY name')
    .all()
    .map(({ name }) => name)

const reasons = (outcomes: readonly PromiseSettledResult<unknown>[]): readonly unknown[] =>
  outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))

const outages = (outcomes: readonly PromiseSettledResult<unknown>[]): number =>
  reasons(outcomes).filter((reason) => reason instanceof StorageUnavailableError).length
