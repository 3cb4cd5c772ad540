import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aFolder } from './sqlite-under-test.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'
import { issuer, readRecords, writeRecords, writtenRecords } from './support/records-of-every-kind.ts'
import { postgresRowsAsSql, sqliteRowsAsSql } from './support/rows-as-sql.ts'

interface OpenDatabase {
  readonly dialect: SqlDialect
  /** Returns every row, as INSERT statements. */
  rows(): Promise<readonly string[]>
}

describe.for([
  { name: 'SQLite', open: openSqlite },
  { name: 'PostgreSQL', open: openPostgres },
])('$name', ({ open }) => {
  test('reads every record of a database that an earlier version has written', async () => {
    const { dialect } = await open('earlier')
    const storage = await createSqlStorage({ dialect, issuer })

    expect(await readRecords(storage)).toStrictEqual(writtenRecords)
  })

  test('writes the same rows as an earlier version', async () => {
    const earlier = await open('earlier')
    await createSqlStorage({ dialect: earlier.dialect, issuer })
    const current = await open('empty')

    await writeRecords(await createSqlStorage({ dialect: current.dialect, issuer }))

    const rows = await current.rows()
    expect(rows.length).toBeGreaterThan(40)
    expect(rows.map(withoutFormerKeys)).toStrictEqual(await earlier.rows())
  })
})

/** Earlier versions did not keep the keys of a user whom a provider removed. */
const withoutFormerKeys = (row: string): string =>
  row.replace(/, '?[0-9]+'?, 'provider-full', 'removed', 'removed'\);$/, ', NULL, NULL, NULL, NULL);')

const fixture = (engine: string): string =>
  readFileSync(new URL(`./fixtures/${engine}-0009.sql`, import.meta.url), 'utf8')

async function openSqlite(content: 'earlier' | 'empty'): Promise<OpenDatabase> {
  const folder = await aFolder()
  const file = `${folder.path}/test.db`
  if (content === 'earlier') {
    const earlier = new DatabaseSync(file)
    earlier.exec(fixture('sqlite'))
    earlier.close()
  }
  const dialect = openSqliteDialect(file, { migrate: 'on-open' })
  onTestFinished(async () => {
    await dialect.close()
    await folder.remove()
  })
  return { dialect, rows: async () => sqliteRowsAsSql(file) }
}

async function openPostgres(content: 'earlier' | 'empty'): Promise<OpenDatabase> {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool()
  if (content === 'earlier') await pool.query(fixture('postgres'))
  return { dialect: toPostgresDialect(pool, { migrate: 'on-open' }), rows: () => postgresRowsAsSql(pool) }
}
