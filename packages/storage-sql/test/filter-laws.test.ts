import { type AdminStorage, after, groupId, type JsonObject, seconds, userId } from '@mintmark/storage-interface'
import type { GroupRecord, ListedUserRecord, ListOutcome, ListQuery } from '@mintmark/storage-interface/stores'
import { aGroup, aGroupState, aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aComparable } from './arbitraries/comparable-resource.ts'
import { aResolvedFilter, aSortKey, type KnownTexts } from './arbitraries/resolved-filter.ts'
import { aMigratedMariadbDatabase, type MariadbOfTheRun } from './support/mariadb-of-the-run.ts'
import type { TestDatabase } from './support/postgres-database.ts'
import { aMigratedEnglishDatabase } from './support/postgres-of-the-run.ts'
import { rounds } from '../../../test/support/rounds.ts'

// Every population has a separate issuer. It is searched with many filters.
const searches = rounds({ fast: 50, long: 100 })

let database: TestDatabase
let mariadb: MariadbOfTheRun
let dialects: readonly SqlDialect[]
let populations = 0

beforeAll(async () => {
  // The collation of the database must not matter.
  database = await aMigratedEnglishDatabase()
  mariadb = await aMigratedMariadbDatabase()
  dialects = [
    openSqliteDialect(':memory:', { migrate: 'on-open' }),
    toPostgresDialect(database.pool()),
    toMariadbDialect(mariadb.pools[0]),
  ]
})
afterAll(async () => {
  await Promise.all(dialects.map((dialect) => dialect.close()))
  await database.remove()
  await mariadb.remove()
})

test('law: memory, SQLite, PostgreSQL and MariaDB find the same users by any filter, in any order', async () => {
  const names = ['name-0', 'name-3', 'external-1', 'external-4', 'user-2', 'user-5', 'group-0', 'group-1']
  const known = { texts: names, memberships: { attribute: 'groups', parts: ['value', 'x'] } }

  await fc.assert(
    fc.asyncProperty(aPopulation(), queries(known), (population, requests) =>
      expectSameAnswers(population, requests, ({ provisionedUsers }, query) =>
        walk(
          query,
          (each) => provisionedUsers.list(each),
          ({ userId: id }: ListedUserRecord) => id,
        ),
      ),
    ),
    { numRuns: rounds({ fast: 2, long: 10 }), endOnFailure: true },
  )
}, 240_000)

test('law: memory, SQLite, PostgreSQL and MariaDB find the same groups by any filter, in any order', async () => {
  const names = ['group-0', 'group-2', 'external-1', 'name-0', 'name-1', 'user-2', 'user-5', 'user', 'group']
  const known = { texts: names, memberships: { attribute: 'members', parts: ['value', 'type', 'x'] } }

  await fc.assert(
    fc.asyncProperty(aPopulation(), queries(known), (population, requests) =>
      expectSameAnswers(population, requests, ({ groups }, query) =>
        walk(
          query,
          (each) => groups.list(each),
          ({ groupId: id }: GroupRecord) => id,
        ),
      ),
    ),
    { numRuns: rounds({ fast: 2, long: 10 }), endOnFailure: true },
  )
}, 240_000)

interface Population {
  readonly users: readonly Resource[]
  readonly groups: readonly (Resource & { readonly members: readonly number[] })[]
}

interface Resource {
  readonly comparable: JsonObject
  readonly hasExternalId: boolean
  readonly active: boolean
  readonly age: number
}

function aPopulation(): fc.Arbitrary<Population> {
  const resource = {
    comparable: aComparable(),
    hasExternalId: fc.boolean(),
    active: fc.boolean(),
    age: fc.nat({ max: 2 }),
  }
  return fc.record({
    users: fc.array(fc.record(resource), { minLength: 8, maxLength: 16 }),
    groups: fc.array(fc.record({ ...resource, members: fc.uniqueArray(fc.nat({ max: 7 })) }), {
      minLength: 2,
      maxLength: 6,
    }),
  })
}

function queries(known: KnownTexts): fc.Arbitrary<readonly ListQuery[]> {
  const page = fc.oneof(
    fc.record({
      kind: fc.constant('index' as const),
      offset: fc.constantFrom(0, 0, 3, 100),
      limit: fc.constantFrom(0, 1, 5, 100),
    }),
    fc.record({
      kind: fc.constant('cursor' as const),
      after: fc.constant(undefined),
      limit: fc.constantFrom(0, 1, 5, 100),
    }),
  )
  const bytes = fc.record({ maxBytes: fc.constantFrom(1, 300, 100_000) }, { requiredKeys: [] })
  const query = fc.record({
    providerId: fc.constant(aProvisionedUser('').providerId),
    filter: aResolvedFilter(known),
    sort: fc.option(aSortKey(), { nil: undefined }),
    page,
  })
  return fc.array(
    fc.tuple(query, bytes).map(([each, limited]) => ({ ...each, ...limited })),
    { minLength: searches, maxLength: searches },
  )
}

async function expectSameAnswers(
  population: Population,
  requests: readonly ListQuery[],
  answer: (storage: AdminStorage, query: ListQuery) => Promise<unknown>,
): Promise<void> {
  populations += 1
  const issuer = `https://issuer-${populations}.example`
  const [memory, ...others] = [
    createMemoryStorage({ issuer }),
    ...(await Promise.all(dialects.map((dialect) => createSqlStorage({ dialect, issuer })))),
  ]
  const tags = { extension: undefined, name: 'tags', subName: undefined, multiValued: true } as const
  for (const storage of [memory, ...others]) {
    const declare = () =>
      storage.provisionedUsers.indexAttributes([
        { attribute: tags, elementPart: undefined, isText: true, isUnique: false },
      ])
    // If the users exist already, the declaration indexes them; otherwise their insertion does.
    if (populations % 2 === 0) await declare()
    await populate(storage, population)
    if (populations % 2 === 1) await declare()
  }

  const [expected, ...found] = await Promise.all(
    [memory, ...others].map(async (storage) => {
      // One after the other: many searches at once would wait for their turns, and some would be refused.
      const answers: unknown[] = []
      for (const query of requests) answers.push({ query, answer: await answer(storage, query) })
      return answers
    }),
  )
  for (const answers of found) expect(answers).toEqual(expected)
}

async function populate({ provisionedUsers, groups }: AdminStorage, population: Population): Promise<void> {
  const { createdAt } = aProvisionedUser('')
  for (const [index, { comparable, hasExternalId, active, age }] of population.users.entries()) {
    const state = aProvisionedState(String(index), {
      active,
      comparable: { ...comparable, userName: `name-${index}` },
      ...(hasExternalId ? {} : { externalId: undefined }),
    })
    const user = aProvisionedUser(String(index), {
      state,
      userId: userId(`user-${index}`),
      createdAt: after(createdAt, seconds(age)),
    })
    expect((await provisionedUsers.insert(user)).outcome).toBe('inserted')
  }
  for (const [index, { comparable, hasExternalId, age, members }] of population.groups.entries()) {
    const state = aGroupState(String(index), {
      comparable: { ...comparable, displayName: `name-${index % 2}` },
      ...(hasExternalId ? {} : { externalId: undefined }),
    })
    const memberIds = [...members.map((member) => `user-${member}`), ...(index > 0 ? ['group-0'] : [])]
    const group = aGroup(String(index), {
      state,
      groupId: groupId(`group-${index}`),
      memberIds,
      createdAt: after(createdAt, seconds(age)),
    })
    expect((await groups.insert(group)).outcome).toBe('inserted')
  }
}

/** Lists a page, and up to three pages after it by cursor. */
async function walk<Record>(
  query: ListQuery,
  list: (query: ListQuery) => Promise<ListOutcome<Record>>,
  idOf: (record: Record) => string,
): Promise<readonly unknown[]> {
  const pages: unknown[] = []
  let page: ListQuery['page'] | undefined = query.page
  while (page !== undefined && pages.length < 4) {
    const outcome: ListOutcome<Record> = await list({ ...query, page })
    if (outcome.outcome !== 'listed') return [...pages, outcome]
    pages.push({ total: outcome.total, ids: outcome.records.map(idOf) })
    page = outcome.next === undefined ? undefined : { kind: 'cursor', after: outcome.next, limit: page.limit }
  }
  return pages
}
