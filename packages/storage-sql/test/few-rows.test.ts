import {
  type AdminStorage,
  after,
  type JsonObject,
  type ResolvedFilter,
  seconds,
  userId,
} from '@mintmark/storage-interface'
import type { ListedUserRecord, ListQuery } from '@mintmark/storage-interface/stores'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SqlValue } from '../src/dialect.ts'
import { aMigratedSqlite, aMigratedPostgres } from './support/migrated-dialects.ts'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'
import { scansOf, type PlanNode } from './support/postgres-plan.ts'

const issuer = 'https://issuer.example'

describe.for([
  { name: 'SQLite', open: aMigratedSqlite },
  { name: 'PostgreSQL', open: aMigratedPostgres },
])('$name', ({ open }) => {
  test('answers a filter that matches at most one row by an index alone (RFC 7644 §3.4.2.2)', async () => {
    const { sql, memory, executed } = await stored(await open(), resources)

    for (const filter of filters) {
      const expected = await shown(memory, { filter })
      const countBefore = executed.length
      expect(await shown(sql, { filter }), JSON.stringify(filter)).toEqual(expected)
      const statements = executed.slice(countBefore).map(({ statement }) => statement)
      const searches = statements.some((statement) => statement.startsWith('with'))
      expect(searches, JSON.stringify(filter)).toBe(expected.total > 1)
      // A comparison that the index answers needs no documents.
      const readsDocuments = statements.some((statement) => statement.includes('comparable'))
      expect(readsDocuments, JSON.stringify(filter)).toBe(filter.kind !== 'text')
    }
  })

  test.for([1, 10, 11, 25])('finds all %i users that share an address, by age, on every page', async (count) => {
    const { sql, memory } = await stored(
      await open(),
      Array.from({ length: count }, () => ({ emails: [work('shared')] })),
    )
    const filter = element(text('value', 'shared'))
    const pages: readonly ListQuery['page'][] = [
      ...[0, 1, 9, 10, 11, 30].flatMap((offset) =>
        [0, 1, 10, 100].map((limit) => ({ kind: 'index', offset, limit }) as const),
      ),
      ...[undefined, '1'].map((position) => ({ kind: 'cursor', after: position, limit: 4 }) as const),
    ]

    for (const page of pages)
      expect(await shown(sql, { filter, page }), JSON.stringify(page)).toEqual(await shown(memory, { filter, page }))
    expect(await walk(sql, filter)).toEqual(await walk(memory, filter))
  })

  test('finds users who have an address without a value: it differs from every value (RFC 7644 §3.4.2.2)', async () => {
    const { sql, memory } = await stored(await open(), [{ emails: [{ type: 'work' }] }, { emails: [work('a')] }, {}])
    const differs = { kind: 'text', attribute: attribute('value'), operator: 'ne', value: 'a' } as const
    const filter = element(differs)

    expect(await shown(sql, { filter })).toEqual(await shown(memory, { filter }))
    expect(await shown(sql, { filter })).toMatchObject({ ids: ['user-00'] })
  })

  test('sorts users that share an address in the requested order (RFC 7644 §3.4.2.3)', async () => {
    const { sql, memory } = await stored(
      await open(),
      ['b', 'c', 'a'].map((title) => ({ title, emails: [work('shared')] })),
    )
    const filter = element(text('value', 'shared'))
    const sort = { attribute: attribute('title'), elementPart: undefined, direction: 'ascending' } as const

    expect(await shown(sql, { filter, sort })).toEqual(await shown(memory, { filter, sort }))
    expect(await shown(sql, { filter, sort })).toMatchObject({ ids: ['user-02', 'user-00', 'user-01'] })
  })
})

test('reads at most 11 rows of the index of addresses, even if more users share the address (RFC 7644 §3.12)', async () => {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  const pool = database.pool()
  const { sql, executed } = await stored(
    toPostgresDialect(pool),
    Array.from({ length: 40 }, () => ({ emails: [work('shared')] })),
  )
  await shown(sql, { filter: element(text('value', 'shared')) })
  const { statement = '', parameters = [] } = executed.find((each) => each.statement.includes('limit 11')) ?? {}

  const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
    [...parameters],
  )

  const scans = scansOf(rows[0]?.['QUERY PLAN'][0].Plan ?? { 'Node Type': 'none' })
  const read = scans.filter((scan) => /_user_values/.test(scan['Index Name'] ?? '')).map((scan) => scan['Actual Rows'])
  expect(read).toEqual([11])
})

const substitute = String.fromCodePoint(0x1a)

const work = (value: string): JsonObject => ({ type: 'work', value })

const titles = [substitute, `${substitute}0`, 'plain', String.raw`\u001as`] as const

const resources: readonly JsonObject[] = [
  { title: titles[0], emails: [work('a'), { type: 'home', value: 'b' }] },
  { title: titles[1], emails: [work('b'), { type: 'home', value: 'a' }] },
  { title: titles[2], level: 1e21, emails: [work(substitute), work('a'.repeat(250))] },
  { title: titles[3], level: 0.1, emails: [work('a'.repeat(200) + 'b')] },
]

const attribute = (name: string) => ({ extension: undefined, name, subName: undefined, multiValued: false })
const text = (name: string, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute(name),
  operator: 'eq',
  value,
})
const and = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'and', operands })
const not = (operand: ResolvedFilter): ResolvedFilter => ({ kind: 'not', operand })
const element = (where: ResolvedFilter): ResolvedFilter => ({
  kind: 'element',
  attribute: { ...attribute('emails'), multiValued: true },
  where,
})
const level = (value: number): ResolvedFilter => ({
  kind: 'number',
  attribute: attribute('level'),
  operator: 'eq',
  value,
})

const addresses = ['a', 'b', substitute, 'a'.repeat(250), `${'a'.repeat(200)}b`, 'a'.repeat(200), 'nobody']

const filters: readonly ResolvedFilter[] = [
  ...addresses.flatMap((address) => [
    element(text('value', address)),
    element(and(text('type', 'work'), text('value', address))),
    ...titles.map((title) => and(element(text('value', address)), text('title', title))),
    and(element(text('value', address)), not(text('title', substitute))),
    and(element(text('value', address)), level(1e21)),
  ]),
  ...['user-01', 'user-07'].flatMap((id) => [
    text('id', id),
    and(text('id', id), text('externalId', 'external-01')),
    and(text('id', id), level(0.1)),
  ]),
  and(text('userName', 'name-00'), { kind: 'boolean', attribute: attribute('active'), operator: 'eq', value: true }),
  and(text('userName', 'name-00'), { kind: 'present', attribute: attribute('groups') }),
  { kind: 'or', operands: [text('userName', 'name-00'), text('externalId', 'external-01')] },
  and(text('externalId', 'external-02'), { kind: 'present', attribute: { ...attribute('meta'), subName: 'created' } }),
]

interface Stored {
  readonly sql: AdminStorage
  readonly memory: AdminStorage
  /** The statements that were run. */
  readonly executed: readonly { readonly statement: string; readonly parameters: readonly SqlValue[] }[]
}

/** Stores the same users in both storages. Their order by age is not their order by identifier. */
async function stored(dialect: SqlDialect, comparables: readonly JsonObject[]): Promise<Stored> {
  const executed: Stored['executed'][number][] = []
  const watched: SqlDialect = {
    ...dialect,
    all: (statement, parameters, options) => {
      executed.push({ statement, parameters })
      return dialect.all(statement, parameters, options)
    },
  }
  const [sql, memory] = [await createSqlStorage({ dialect: watched, issuer }), createMemoryStorage({ issuer })]
  for (const [index, comparable] of comparables.entries()) {
    const label = String(index).padStart(2, '0')
    const state = aProvisionedState(label, { comparable: { userName: `name-${label}`, ...comparable } })
    const { createdAt } = aProvisionedUser('')
    const user = aProvisionedUser(label, {
      state,
      userId: userId(`user-${label}`),
      createdAt: after(createdAt, seconds(index % 3)),
    })
    for (const storage of [sql, memory]) expect((await storage.provisionedUsers.insert(user)).outcome).toBe('inserted')
  }
  return { sql, memory, executed }
}

type ListOptions = Partial<Omit<ListQuery, 'providerId'>>

async function shown({ provisionedUsers }: AdminStorage, options: ListOptions) {
  const { providerId } = aProvisionedUser('')
  const page = { kind: 'index', offset: 0, limit: 100 } as const
  const found = await provisionedUsers.list({ providerId, filter: undefined, sort: undefined, page, ...options })
  if (found.outcome !== 'listed') throw new Error(found.outcome)
  return {
    total: found.total,
    ids: found.records.map(idOf),
    hasMore: options.page?.kind === 'cursor' && found.next !== undefined,
  }
}

/** Returns the identifiers on each page of four, until there are no more pages. */
async function walk(
  { provisionedUsers }: AdminStorage,
  filter: ResolvedFilter,
): Promise<readonly (readonly string[])[]> {
  const { providerId } = aProvisionedUser('')
  const pages: (readonly string[])[] = []
  let position: string | undefined
  do {
    const found = await provisionedUsers.list({
      providerId,
      filter,
      sort: undefined,
      page: { kind: 'cursor', after: position, limit: 4 },
    })
    if (found.outcome !== 'listed') throw new Error('too many')
    pages.push(found.records.map(idOf))
    position = found.next
  } while (position !== undefined)
  return pages
}

const idOf = (record: ListedUserRecord): string => record.userId
