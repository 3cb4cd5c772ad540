import { randomUUID } from 'node:crypto'
import { epochSeconds, providerId, userId, type AdminStorage } from '@mintmark/storage-interface'
import { type ProvisionedState } from '@mintmark/storage-interface/stores'
import { aProvisionedState } from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { byName } from './support/by-name.ts'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

const target = { providerId: providerId('provider-1'), userId: userId('user-1') }
const first = { externalId: 'external-a', userName: 'user-a' }
const second = { externalId: 'external-b', userName: 'user-b' }
const third = { externalId: 'external-a', userName: 'user-c' }

describe.for([
  { name: 'SQLite', open: async () => ({ dialect: anSqliteFile(), remove: async () => undefined }) },
  { name: 'PostgreSQL', open: aPostgres },
])('on $name', ({ open }) => {
  let database: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    database = await open()
  })
  afterAll(async () => {
    await database.dialect.close()
    await database.remove()
  })

  test('writes a change that keeps the keys with one statement, which does not set them', async () => {
    const { storage, updates } = await aStoredUser(database.dialect, first)

    const outcome = await change(storage, { version: 1, state: aState(first, { active: false }) })

    expect(outcome).toMatchObject({ outcome: 'swapped', record: { active: false, version: 2, ...target } })
    expect(updates).toEqual([expect.not.stringMatching(setsKey)])
  })

  test('writes a change that keeps the resource with one statement, which sets no column of the resource', async () => {
    const { storage, updates } = await aStoredUser(database.dialect, first)
    const state = { ...aState(first, { active: false }), comparable: 'unchanged' } as const

    const outcome = await storage.provisionedUsers.compareAndSwap({
      ...target,
      version: 1,
      state,
      now: epochSeconds(2),
    })

    expect(outcome).toMatchObject({ outcome: 'swapped', record: { active: false, version: 2, ...target } })
    expect(updates).toEqual([expect.not.stringMatching(/set .*"(resource|comparable|external_id)" = .* where/)])
  })

  test.for<{ readonly what: string; readonly before: Keys; readonly after: Keys; readonly old: Keys }>([
    { what: 'another userName', before: first, after: { ...first, userName: 'user-b' }, old: { userName: 'user-a' } },
    { what: 'another externalId', before: first, after: { ...first, externalId: 'external-b' }, old: third },
    { what: 'a first externalId', before: { userName: 'user-a' }, after: first, old: { userName: 'user-c' } },
    { what: 'an externalId that was removed', before: first, after: { userName: 'user-a' }, old: third },
  ])('writes $what: the new keys are taken, the old keys are free', async ({ before, after, old }) => {
    const { storage } = await aStoredUser(database.dialect, before)

    const outcome = await change(storage, { version: 1, state: aState(after) })

    expect(outcome).toMatchObject({ outcome: 'swapped', record: { version: 2, externalId: after.externalId } })
    expect(await insert(storage, 'user-2', { userName: after.userName })).toEqual({ outcome: 'taken', key: 'userName' })
    for (const externalId of ['external-a', 'external-b']) {
      const found = await storage.provisionedUsers.findByExternalId(target.providerId, externalId)
      expect(found?.userId).toBe(externalId === after.externalId ? target.userId : undefined)
    }
    expect(await insert(storage, 'user-3', old)).toMatchObject({ outcome: 'inserted' })
  })

  test('one of two changes wins, even if the other happens between its two statements (RFC 7644 §3.14)', async () => {
    const { storage, interrupt } = await aStoredUser(database.dialect, first)
    interrupt(() => change(storage, { version: 1, state: aState(second, { active: false }) }))

    const late = await change(storage, { version: 1, state: aState(second) })

    expect(late).toEqual({ outcome: 'conflict' })
    expect(await find(storage)).toMatchObject({ version: 2, active: false, generation: 1 })
  })

  test('reports the key of another user as taken, and writes nothing (RFC 7644 §3.12)', async () => {
    const { storage } = await aStoredUser(database.dialect, first)
    await insert(storage, 'user-2', second)
    const state = aState({ ...first, userName: second.userName }, { active: false })

    expect(await change(storage, { version: 1, state })).toEqual({ outcome: 'taken', key: 'userName' })

    expect(await find(storage)).toMatchObject({ version: 1, active: true, generation: 0 })
  })
})

test('SQLite writes to no index if no key changes', async () => {
  const dialect = anSqliteFile()
  onTestFinished(() => dialect.close())
  const { storage, updates } = await aStoredUser(dialect, first)
  await change(storage, { version: 1, state: aState(first, { active: false }) })
  await change(storage, { version: 2, state: aState(second) })

  const [sameKeys = '', , otherKeys = ''] = updates

  expect(await indexesWritten(dialect, sameKeys)).toEqual([])
  const written = await indexesWritten(dialect, otherKeys)
  expect(written).toEqual(['mintmark_users_by_external_id', 'mintmark_users_by_user_name'])
})

const anSqliteFile = () => openSqliteDialect(':memory:', { migrate: 'on-open' })

async function aPostgres() {
  const database = await aMigratedDatabase()
  return { dialect: toPostgresDialect(database.pool()), remove: () => database.remove() }
}

interface Keys {
  readonly externalId?: string
  readonly userName: string
}

/**
 * Creates a storage for a new issuer, with the user.
 * @returns the storage; `updates`, the statements that changed users; and `interrupt`, which makes an event happen before the
 *   second of these statements.
 */
async function aStoredUser(database: SqlDialect, of: Keys) {
  const updates: string[] = []
  let event: (() => Promise<unknown>) | undefined
  const dialect: SqlDialect = {
    ...database,
    all: async (statement, parameters, lifetime) => {
      if (statement.startsWith('update "mintmark_users"')) updates.push(statement)
      if (updates.length === 2) {
        const due = event
        event = undefined
        await due?.()
      }
      return database.all(statement, parameters, lifetime)
    },
  }
  const storage = await createSqlStorage({ dialect, issuer: `https://${randomUUID()}.example` })
  await insert(storage, target.userId, of)
  return { storage, updates, interrupt: (interruption: () => Promise<unknown>) => void (event = interruption) }
}

const aState = ({ externalId, userName }: Keys, overrides: Partial<ProvisionedState> = {}): ProvisionedState =>
  aProvisionedState(userName, { externalId, comparable: { userName }, ...overrides })

const insert = (storage: AdminStorage, id: string, of: Keys) =>
  storage.provisionedUsers.insert({ ...target, userId: userId(id), state: aState(of), createdAt: epochSeconds(1) })

const change = (
  storage: AdminStorage,
  { version, state }: { readonly version: number; readonly state: ProvisionedState },
) => storage.provisionedUsers.compareAndSwap({ ...target, version, state, now: epochSeconds(2) })

const find = (storage: AdminStorage) => storage.provisionedUsers.find(target.providerId, target.userId)

const setsKey = /set .*"(external_id_key|user_name_key)".* where/

/** Returns the indexes of users whose entries the program of the statement deletes or inserts. */
async function indexesWritten(dialect: SqlDialect, statement: string): Promise<readonly unknown[]> {
  const program = await dialect.all(
    `EXPLAIN ${statement}`,
    [...statement.matchAll(/\?/g)].map(() => 'x'),
  )
  const opened = new Map<unknown, unknown>()
  const written = new Set<unknown>()
  for (const { opcode, p1: cursor, p2: rootPage } of byName(program)) {
    if (opcode === 'OpenWrite') opened.set(cursor, rootPage)
    if (opcode === 'IdxInsert' || opcode === 'IdxDelete') written.add(opened.get(cursor))
  }
  const indexes = await dialect.all(
    `SELECT name, rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'mintmark_users' ORDER BY name`,
    [],
  )
  return byName(indexes)
    .filter(({ rootpage }) => written.has(rootpage))
    .map(({ name }) => name)
}
