import { createSqlStorage, migrate, type SqlDialect } from '@mintmark/storage-sql'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UniqueViolationError } from '../src/dialect.ts'
import { byName } from './support/by-name.ts'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

describe.for([
  { name: 'SQLite', open: openSqlite, place: () => '?' },
  { name: 'PostgreSQL', open: openPostgres, place: (number: number) => `$${number}` },
])('a transaction on $name', ({ open, place }) => {
  const insert = `INSERT INTO mintmark_organizations (issuer, organization_id, display_name, created_at, updated_at, version)
    VALUES ('issuer', ${place(1)}, 'name', 1, 1, 1) RETURNING organization_id`
  const find = `SELECT organization_id FROM mintmark_organizations WHERE organization_id = ${place(1)}`
  const step = (statement: string, value: string) => ({ statement, parameters: [value], role: 'step' }) as const
  const guard = (statement: string, value: string) => ({ statement, parameters: [value], role: 'guard' }) as const
  const count = async ({ all }: SqlDialect) =>
    Number((await all('SELECT count(*) AS count FROM mintmark_organizations', []))[0]?.values[0])

  test('runs all steps and returns the rows of the last', async () => {
    const dialect = await open()

    const rows = await dialect.transact([guard(insert, 'a'), step(insert, 'b')])

    expect(byName(rows)).toEqual([{ organization_id: 'b' }])
    expect(await count(dialect)).toBe(2)
  })

  test('writes nothing when a guard finds no row', async () => {
    const dialect = await open()

    expect(await dialect.transact([step(insert, 'a'), guard(find, 'b'), step(insert, 'c')])).toBeUndefined()

    expect(await count(dialect)).toBe(0)
    expect(byName(await dialect.transact([step(insert, 'a'), step(find, 'a')]))).toEqual([{ organization_id: 'a' }])
  })

  test('writes nothing when a step would duplicate a key, and runs the next transaction', async () => {
    const dialect = await open()
    await createSqlStorage({ dialect, issuer: 'issuer' }).then(({ provisionedUsers }) =>
      provisionedUsers.insert(aProvisionedUser('a')),
    )
    const other = `INSERT INTO mintmark_users (issuer, user_id, active, generation, claims, created_at, updated_at, version, provider_id, user_name_key)
      SELECT issuer, ${place(1)}, active, generation, claims, created_at, updated_at, version, provider_id, user_name_key FROM mintmark_users`

    await expect(dialect.transact([step(insert, 'a'), step(other, 'user-b')])).rejects.toBeInstanceOf(
      UniqueViolationError,
    )
    await expect(dialect.all(other, ['user-b'])).rejects.toBeInstanceOf(UniqueViolationError)

    expect(await count(dialect)).toBe(0)
    expect(await dialect.transact([step(insert, 'a')])).toHaveLength(1)
  })

  test('writes nothing when a statement is wrong, and throws its error', async () => {
    const dialect = await open()

    await expect(dialect.transact([step(insert, 'a'), step(`${find} AND nonsense = 1`, 'a')])).rejects.toThrow(
      'nonsense',
    )

    expect(await count(dialect)).toBe(0)
    expect(await dialect.transact([step(insert, 'a')])).toHaveLength(1)
  })

  test('each of eight concurrent transactions sees what its earlier step wrote', async () => {
    const dialect = await open()
    const names = Array.from({ length: 8 }, (_, index) => `name-${index}`)

    const results = await Promise.all(names.map((name) => dialect.transact([guard(insert, name), step(find, name)])))

    expect(results.map(byName)).toEqual(names.map((name) => [{ organization_id: name }]))
  })
})

async function openSqlite(): Promise<SqlDialect> {
  const dialect = openSqliteDialect(':memory:', { migrate: 'on-open' })
  onTestFinished(() => dialect.close())
  await migrate({ dialect })
  return dialect
}

async function openPostgres(): Promise<SqlDialect> {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  return toPostgresDialect(database.pool())
}
