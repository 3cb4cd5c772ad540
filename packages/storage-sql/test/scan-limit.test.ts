import { type AdminStorage, type ResolvedFilter } from '@mintmark/storage-interface'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute, SortKey } from '@mintmark/storage-interface/stores'
import { createSqlStorage } from '@mintmark/storage-sql'
import { describe, expect, test } from 'vitest'
import { declaredAttributes } from './support/declared-attributes.ts'
import { aMigratedSqlite, aMigratedPostgres } from './support/migrated-dialects.ts'

const scanLimit = 10
const users = 30
const { providerId } = aProvisionedUser('user')

describe.for([
  { name: 'SQLite', open: aMigratedSqlite },
  { name: 'PostgreSQL', open: aMigratedPostgres },
])('a list of more users than scanLimit, on $name (RFC 7644 §3.12)', ({ open }) => {
  async function filled(): Promise<AdminStorage> {
    const storage = await createSqlStorage({ dialect: await open(), issuer: 'https://issuer.example', scanLimit })
    await storage.provisionedUsers.indexAttributes(declaredAttributes)
    for (let n = 0; n < users; n += 1) await storage.provisionedUsers.insert(aProvisionedUser(`user-${n}`))
    return storage
  }

  test('is complete when its filter and its order use only indexed attributes', async () => {
    const storage = await filled()

    expect(await totalOf(storage, text('userName', 'ne', 'nobody'))).toBe(users)
    expect(await totalOf(storage, text('userName', 'sw', 'u'))).toBe(users)
    expect(await totalOf(storage, text('userName', 'sw', 'u'), by('userName'))).toBe(users)
    expect(await totalOf(storage, text('userName', 'ne', 'nobody'), by('userName'))).toBe(users)
    expect(await totalOf(storage, undefined, by('userName'))).toBe(users)
  })

  test('is complete when it is sorted by an indexed attribute with several values (RFC 7644 §3.4.2.3)', async () => {
    const storage = await filled()
    await storage.provisionedUsers.indexAttributes([
      { attribute: severalOf('tags'), elementPart: undefined, isText: true, isUnique: false },
      { attribute: severalOf('devices'), elementPart: 'serial', isText: true, isUnique: true },
    ])

    for (const order of [byPart('emails', 'value'), byPart('phoneNumbers', 'value'), byPart('devices', 'serial')]) {
      expect(await totalOf(storage, undefined, order)).toBe(users)
      expect(await totalOf(storage, text('userName', 'sw', 'u'), order)).toBe(users)
    }
    expect(await totalOf(storage, undefined, { ...by('tags'), attribute: severalOf('tags') })).toBe(users)
    expect(await totalOf(storage, undefined, byPart('emails', 'type'))).toBe('tooMany')
  })

  test('is complete when few values of a list meet one of several conditions', async () => {
    const storage = await createSqlStorage({ dialect: await open(), issuer: 'https://issuer.example', scanLimit })
    for (let n = 0; n < users; n += 1) {
      const comparable = { userName: `user ${n}`, emails: [{ type: 'work', value: `${n}@example.com` }] }
      await storage.provisionedUsers.insert(
        aProvisionedUser(`user-${n}`, { state: aProvisionedState(`user-${n}`, { comparable }) }),
      )
    }
    const operands = [text('value', 'sw', '3'), text('type', 'sw', 'work')]
    const having = (where: ResolvedFilter) =>
      totalOf(storage, { kind: 'element', attribute: severalOf('emails'), where })

    expect(await having({ kind: 'and', operands })).toBe(1)
    // The index of the addresses alone answers this filter.
    expect(await having(text('value', 'sw', ''))).toBe(users)
    // No index has the types of addresses.
    expect(await having({ kind: 'or', operands })).toBe('tooMany')
  })

  test('is refused when it is sorted by an attribute with a value that is too long for the index', async () => {
    const storage = await filled()
    const state = aProvisionedState('long', {
      comparable: { userName: 'long', emails: [{ value: 'a' }, { value: 'b'.repeat(201), primary: true }] },
    })
    await storage.provisionedUsers.insert(aProvisionedUser('long', { state }))

    expect(await totalOf(storage, undefined, byPart('emails', 'value'))).toBe('tooMany')
    expect(await totalOf(storage, undefined, byPart('phoneNumbers', 'value'))).toBe(users + 1)
  })

  test('is refused when more values than scanLimit are too long for the index', async () => {
    const storage = await createSqlStorage({ dialect: await open(), issuer: 'https://issuer.example', scanLimit })
    const insert = (n: number) =>
      storage.provisionedUsers.insert(
        aProvisionedUser(`${n}`, {
          state: aProvisionedState(`${n}`, { comparable: { userName: `user-${n}`.padEnd(300, '-') } }),
        }),
      )
    for (let n = 0; n < scanLimit; n += 1) await insert(n)

    expect(await totalOf(storage, text('userName', 'sw', 'user-'))).toBe(scanLimit)
    await insert(scanLimit)
    expect(await totalOf(storage, text('userName', 'sw', 'user-'))).toBe('tooMany')
  })

  test('reads ranges of an index of any length for five comparisons, and for more comparisons only short ones', async () => {
    const dialect = await open()
    const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example', scanLimit: 1 })
    for (let n = 0; n < 101; n += 1) {
      const state = aProvisionedState(`${n}`, { comparable: { userName: `user-${n}` } })
      await storage.provisionedUsers.insert(aProvisionedUser(`${n}`, { state }))
    }
    const comparing = (times: number): ResolvedFilter => ({
      kind: 'and',
      operands: Array.from({ length: times }, () => text('userName', 'sw', 'user-')),
    })

    expect(await totalOf(storage, comparing(5))).toBe(101)
    expect(await totalOf(storage, comparing(6))).toBe('tooMany')
    // The whole index is read.
    expect(await totalOf(storage, text('userName', 'ne', 'nobody'))).toBe('tooMany')
  })

  test.each([
    [5, undefined],
    [6, true],
    [scanLimit, true],
  ])('a search of %d users with a limit of 10 has isNearLimit %s', async (count, isNearLimit) => {
    const storage = await createSqlStorage({ dialect: await open(), issuer: 'https://issuer.example', scanLimit })
    for (let n = 0; n < count; n += 1) await storage.provisionedUsers.insert(aProvisionedUser(`user-${n}`))

    const page = { kind: 'index', offset: 0, limit: 3 } as const
    const filter = text('title', 'ne', 'nobody')
    const found = await storage.provisionedUsers.list({ providerId, filter, sort: undefined, page })

    expect(found).toMatchObject({ outcome: 'listed', total: count })
    expect('isNearLimit' in found ? found.isNearLimit : undefined).toBe(isNearLimit)
  })

  test('is refused when only the rows have one of these attributes', async () => {
    const storage = await filled()

    expect(await totalOf(storage, text('title', 'ne', 'nobody'))).toBe('tooMany')
    expect(await totalOf(storage, text('userName', 'sw', 'u'), by('title'))).toBe('tooMany')
    expect(await totalOf(storage, undefined, by('title'))).toBe('tooMany')
  })
})

const attribute = (name: string): FilterAttribute => ({
  extension: undefined,
  name,
  subName: undefined,
  multiValued: false,
})

const severalOf = (name: string): FilterAttribute => ({ ...attribute(name), multiValued: true })

const text = (name: string, operator: 'ne' | 'sw', value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute(name),
  operator,
  value,
})

const by = (name: string): SortKey => ({
  attribute: attribute(name),
  elementPart: undefined,
  direction: 'ascending',
})

const byPart = (name: string, elementPart: string): SortKey => ({
  attribute: severalOf(name),
  elementPart,
  direction: 'ascending',
})

/** Returns the number of users that a list finds, or why it is refused. */
async function totalOf(storage: AdminStorage, filter: ResolvedFilter | undefined, sort?: SortKey): Promise<unknown> {
  const page = { kind: 'index', offset: 0, limit: 3 } as const
  const found = await storage.provisionedUsers.list({ providerId, filter, sort, page })
  return found.outcome === 'listed' ? found.total : found.outcome
}
