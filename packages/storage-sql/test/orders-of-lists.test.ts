import type { JsonObject } from '@mintmark/storage-interface'
import { aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute, SortKey } from '@mintmark/storage-interface/stores'
import { createSqlStorage, migrate, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { declaredAttributes } from './support/declared-attributes.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'
const { providerId } = aProvisionedUser('any')

/** Lists whose primary value, or else first value, is c, a, absent and b. */
const lists: readonly (readonly JsonObject[] | undefined)[] = [
  [{ value: 'c' }, { value: 'a', primary: false }],
  [{ value: 'z' }, { value: 'a', primary: true }],
  undefined,
  [{ value: 'b', primary: true }, { value: 'a' }],
]
const ordered = ['user-1', 'user-3', 'user-0', 'user-2']

describe.for([
  { name: 'SQLite', open: anEmptyFile },
  { name: 'PostgreSQL', open: anEmptyPool },
])('$name', ({ open }) => {
  test('sorts existing users by e-mail address and phone number by an index that the host declares (RFC 7644 §3.4.2.3)', async () => {
    const storage = await createSqlStorage({ dialect: await migratedWith(lists), issuer, scanLimit: 1 })
    await storage.provisionedUsers.indexAttributes(declaredAttributes)

    for (const by of ['emails', 'phoneNumbers']) {
      expect(await sorted(storage, by, 'ascending')).toEqual(ordered)
      expect(await sorted(storage, by, 'descending')).toEqual(ordered.toReversed())
    }
  })

  test('sorts existing users by an attribute that the host declares, even twice', async () => {
    const storage = await createSqlStorage({ dialect: await migratedWith(lists), issuer, scanLimit: 1 })
    const declare = () =>
      storage.provisionedUsers.indexAttributes([
        { attribute: severalOf('devices'), elementPart: 'value', isText: true, isUnique: false },
      ])
    await declare()
    await declare()

    expect(await sorted(storage, 'devices', 'ascending')).toEqual(ordered)
    expect(await sorted(storage, 'devices', 'descending')).toEqual(ordered.toReversed())
  })

  async function migratedWith(values: typeof lists): Promise<SqlDialect> {
    const dialect = await open()
    await migrate({ dialect })
    const { types } = dialect.engine
    await dialect.atomically(
      values.map((list, index) => {
        const comparable = JSON.stringify({ emails: list, phoneNumbers: list, devices: list })
        return `INSERT INTO mintmark_users (issuer, user_id, active, generation, claims, created_at, updated_at, version,
          provider_id, adopted, resource, comparable)
          VALUES ('${issuer}', 'user-${index}', ${types.yes}, 0, '{}', ${index}, ${index}, 1, '${providerId}', ${types.no}, '{}', '${comparable}')`
      }),
    )
    return dialect
  }
})

const severalOf = (name: string): FilterAttribute => ({
  extension: undefined,
  name,
  subName: undefined,
  multiValued: true,
})

async function sorted(
  { provisionedUsers }: Awaited<ReturnType<typeof createSqlStorage>>,
  by: string,
  direction: SortKey['direction'],
): Promise<unknown> {
  const sort = { attribute: severalOf(by), elementPart: 'value', direction }
  const page = { kind: 'index', offset: 0, limit: 10 } as const
  const outcome = await provisionedUsers.list({ providerId, filter: undefined, sort, page })
  return outcome.outcome === 'listed' ? outcome.records.map(({ userId }) => userId) : outcome
}

async function anEmptyFile(): Promise<SqlDialect> {
  const dialect = openSqliteDialect(':memory:')
  onTestFinished(() => dialect.close())
  return dialect
}

async function anEmptyPool(): Promise<SqlDialect> {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  return toPostgresDialect(database.pool())
}
