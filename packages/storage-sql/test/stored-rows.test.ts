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
  readonly rows: () => Promise<readonly string[]>
}

describe.for([
  { name: 'SQLite', file: 'sqlite-rows.sql', open: openSqlite },
  { name: 'PostgreSQL', file: 'postgres-rows.sql', open: openPostgres },
])('$name', ({ file, open }) => {
  // A later version must read what this one has written: a change of the file needs a migration once it is released.
  test('writes the rows that the fixture holds, and reads every record back', async () => {
    const { dialect, rows } = await open()
    const storage = await createSqlStorage({ dialect, issuer })

    await writeRecords(storage)

    const written = await rows()
    expect(written.length).toBeGreaterThan(40)
    await expect(`${written.join('\n')}\n`).toMatchFileSnapshot(`./fixtures/${file}`)
    expect(await readRecords(storage)).toStrictEqual(writtenRecords)
  })
})

async function openSqlite(): Promise<OpenDatabase> {
  const folder = await aFolder()
  const file = `${folder.path}/test.db`
  const dialect = openSqliteDialect(file, { migrate: 'on-open' })
  onTestFinished(async () => {
    await dialect.close()
    await folder.remove()
  })
  return { dialect, rows: async () => sqliteRowsAsSql(file) }
}

async function openPostgres(): Promise<OpenDatabase> {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool()
  return { dialect: toPostgresDialect(pool, { migrate: 'on-open' }), rows: () => postgresRowsAsSql(pool) }
}
