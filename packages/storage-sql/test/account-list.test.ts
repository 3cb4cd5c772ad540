import {
  type AdminStorage,
  epochSeconds,
  type JsonObject,
  type ResolvedFilter,
  userId,
} from '@mintmark/storage-interface'
import { aUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage } from '@mintmark/storage-sql'
import { describe, expect, test } from 'vitest'
import { aMigratedSqlite, aMigratedPostgres } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'

describe.for([
  { name: 'SQLite', open: aMigratedSqlite },
  { name: 'PostgreSQL', open: aMigratedPostgres },
])('$name', ({ open }) => {
  test('finds users by claims that the engine cannot store as JSON, as the memory storage does', async () => {
    const [memory, sql] = [createMemoryStorage({ issuer }), await createSqlStorage({ dialect: await open(), issuer })]
    for (const storage of [memory, sql]) {
      for (const [index, claims] of awkward.entries())
        await storage.users.insert(aUser({ userId: userId(`u${index}`), claims }))
    }

    for (const filter of filters)
      expect(await idsOf(sql, filter), JSON.stringify(filter)).toEqual(await idsOf(memory, filter))
  })

  test('limits how many users a filter on claims reads; a filter on the identifier reads one (RFC 7644 §3.12)', async () => {
    const dialect = await open()
    const storage = await createSqlStorage({ dialect, issuer, scanLimit: 2 })
    for (const id of ['a', 'b']) await storage.users.insert(aUser({ userId: userId(id), claims: {} }))
    const byClaim: ResolvedFilter = { kind: 'present', attribute: claim('email') }
    expect(await idsOf(storage, byClaim)).toEqual([])

    await storage.users.insert(aUser({ userId: userId('c'), claims: {} }))

    expect(await idsOf(storage, byClaim)).toBe('tooMany')
    expect(await idsOf(storage, { kind: 'and', operands: [byId('c'), { kind: 'not', operand: byClaim }] })).toEqual([
      'c',
    ])
    expect(await idsOf(storage, byId('b'))).toEqual(['b'])
    await storage.users.remove(userId('a'), epochSeconds(9))
    expect(await idsOf(storage, byClaim)).toEqual([])
  })

  test('counts users that two servers create and remove at the same time', async () => {
    const dialect = await open()
    const storages = [await createSqlStorage({ dialect, issuer }), await createSqlStorage({ dialect, issuer })]
    const ids = Array.from({ length: 40 }, (_, index) => userId(`u${index}`))

    await Promise.all(ids.flatMap((id) => storages.map((storage) => storage.users.insert(aUser({ userId: id })))))
    await Promise.all(
      ids.slice(0, 15).flatMap((id) => storages.map((storage) => storage.users.remove(id, epochSeconds(9)))),
    )

    const [storage] = storages
    expect(
      await storage?.users.list({ filter: undefined, sort: undefined, page: { kind: 'index', offset: 0, limit: 0 } }),
    ).toMatchObject({
      total: 25,
    })
  })
})

const nul = String.fromCodePoint(0)
const substitute = String.fromCodePoint(0x1a)
const backslash = String.fromCodePoint(0x5c)

const awkward: readonly JsonObject[] = [
  { text: nul },
  { text: `a${nul}${nul}b` },
  { text: substitute },
  { text: `${substitute}0` },
  { text: `${backslash}u0000` },
  { text: `${backslash}${nul}` },
  { text: `${backslash}${backslash}${nul}` },
  { text: `${backslash}ud83d` },
  { text: '😀' },
  { text: '\ud83d', other: 7 },
  { text: 'plain', [`key${nul}`]: 1, '': 2, 'a.b[0]$': 3 },
  { nested: { list: [{ value: `x${nul}`, kind: 'a' }, { value: 'y' }] } },
]

const attribute = (name: string, subName?: string) => ({ extension: undefined, name, subName, multiValued: false })
const claim = (name: string) => attribute('claims', name)
const byId = (value: string): ResolvedFilter => ({ kind: 'text', attribute: attribute('id'), operator: 'eq', value })

const texts = [
  nul,
  `a${nul}${nul}b`,
  substitute,
  `${substitute}0`,
  `${backslash}u0000`,
  `${backslash}${nul}`,
  '😀',
  'plain',
]

const filters: readonly ResolvedFilter[] = [
  ...texts.flatMap((value) =>
    (['eq', 'ne'] as const).map((operator): ResolvedFilter => ({
      kind: 'text',
      attribute: claim('text'),
      operator,
      value,
    })),
  ),
  ...['other', '', 'a.b[0]$', 'a"b', `a${backslash}b`, 'nested'].map((name): ResolvedFilter => ({
    kind: 'present',
    attribute: claim(name),
  })),
  { kind: 'present', attribute: attribute('claims') },
  { kind: 'present', attribute: attribute('text') },
  { kind: 'present', attribute: attribute('meta') },
  { kind: 'present', attribute: attribute('id', 'claims') },
  { kind: 'present', attribute: attribute('active') },
  { kind: 'element', attribute: attribute('id'), where: { kind: 'present', attribute: attribute('value') } },
  {
    kind: 'element',
    attribute: attribute('claims'),
    where: { kind: 'number', attribute: attribute('other'), operator: 'ge', value: 7 },
  },
  {
    kind: 'element',
    attribute: claim('nested'),
    where: { kind: 'present', attribute: attribute('list') },
  },
]

async function idsOf(storage: AdminStorage, filter: ResolvedFilter): Promise<unknown> {
  const found = await storage.users.list({ filter, sort: undefined, page: { kind: 'index', offset: 0, limit: 100 } })
  return found.outcome === 'listed' ? found.records.map((user) => user.userId) : found.outcome
}
