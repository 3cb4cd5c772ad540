import {
  type AdminStorage,
  epochSeconds,
  groupId,
  providerId,
  type ResolvedFilter,
  userId,
} from '@mintmark/storage-interface'
import type { FilterAttribute, ListPage, SortKey } from '@mintmark/storage-interface/stores'
import { aProvisionedState } from '@mintmark/storage-interface/fixtures'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filledPostgres, filledSqlite, type FilledDatabase } from './support/filled-database.ts'
import { declaredAttributes } from './support/declared-attributes.ts'
import { filledUser } from './support/fill-provider.ts'

// Neither engine has statistics, as in a database that nobody has analysed. A search reads 20,000 rows.
const userCount = 25_000
const provider = providerId('provider-1')
const target = filledUser(4321)
const later = epochSeconds(1_800_000_000)

describe.for([
  { name: 'SQLite', open: filledSqlite },
  { name: 'PostgreSQL', open: filledPostgres },
])('a directory of many users on $name', ({ open }) => {
  let database: FilledDatabase
  beforeAll(async () => {
    database = await open(userCount)
    await database.storage.provisionedUsers.indexAttributes(declaredAttributes)
  }, 600_000)
  afterAll(() => database.close())

  test.for(Object.entries(sortValues))(
    'lists pages in the order of %s, which an index has, and starts each where the page before ended',
    async ([name, valueOf]) => {
      const ascending = inOrderOf(valueOf)

      for (const [direction, sorted] of [
        ['ascending', ascending],
        ['descending', ascending.toReversed()],
      ] as const) {
        database.takeStatements()
        const sort = sortedBy(name, direction)
        const first = await pageOf(database.storage, { kind: 'index', offset: 0, limit: 100 }, sort)
        const second = await pageOf(database.storage, { kind: 'cursor', after: first.next, limit: 100 }, sort)

        expect([...first.ids, ...second.ids]).toEqual(sorted.slice(0, 200))
        const pages = database.takeStatements().filter(({ statement }) => statement.startsWith('with page'))
        expect(await Promise.all(pages.map((page) => database.sortsForPage(page)))).toEqual([0, 0])
        expect(await Promise.all(pages.map((page) => database.startsAtPosition(page)))).toEqual([false, true])
      }
    },
  )

  test('lists all users with a part of an e-mail address by age, and rejects another order if too many users match (RFC 7644 §3.12)', async () => {
    const contained = (value: string) =>
      element('emails', { kind: 'text', attribute: attribute('value'), operator: 'co', value })

    // The tests below change some of the addresses. PostgreSQL may read the whole table of values here, because this provider has all of its rows.
    expect(await list(database.storage, contained('@work'))).toMatchObject({ outcome: 'listed', total: userCount })
    expect(await list(database.storage, contained('@work'), sortedBy('userName', 'ascending'))).toEqual({
      outcome: 'tooMany',
    })
    expect(await list(database.storage, contained('.4322@'))).toMatchObject({ outcome: 'listed', total: 1 })
  })

  test.for(Object.entries(requests))('every statement uses an index: %s', async ([, request]) => {
    database.takeStatements()

    await request(database.storage)

    const ran = database.takeStatements()
    expect(ran.length).toBeGreaterThan(0)
    for (const each of ran) expect({ ...each, scans: await database.scansOf(each) }).toMatchObject({ scans: [] })
  })

  test('rejects a filter that would read all rows before it reads them (RFC 7644 §3.12)', async () => {
    database.takeStatements()
    const filter: ResolvedFilter = { kind: 'text', attribute: attribute('title'), operator: 'co', value: 'president' }

    const outcome = await list(database.storage, filter)

    expect(outcome).toEqual({ outcome: 'tooMany' })
    expect(database.takeStatements().map(({ statement }) => /mintmark_\w+/.exec(statement)?.[0])).toEqual([
      'mintmark_provider_totals',
    ])
  })

  test('lists the users of a group with more members than the rows that a search reads, by indexes', async () => {
    const { groups } = database.storage
    const add = Array.from({ length: 20_001 }, (_, index) => filledUser(4400 + index).userId)
    const members = { kind: 'delta', add, remove: [] } as const
    const group = { providerId: provider, groupId: groupId('filled-group-999'), version: undefined, state: undefined }
    expect(await groups.change({ ...group, members, now: later })).toMatchObject({ outcome: 'swapped' })

    // 20 of the earlier members, who are every thousandth user, were added again.
    expect(await list(database.storage, element('groups', text('value', 'filled-group-999')))).toMatchObject({
      outcome: 'listed',
      total: add.length + userCount / 1000 - 20,
      records: { length: 100 },
    })
  })

  test('rejects a sort order that would read all rows (RFC 7644 §3.12)', async () => {
    const sort = { attribute: attribute('title'), elementPart: undefined, direction: 'ascending' } as const
    const page = { kind: 'index', offset: 0, limit: 1 } as const

    const outcome = await database.storage.provisionedUsers.list({
      providerId: provider,
      filter: undefined,
      sort,
      page,
    })

    expect(outcome).toEqual({ outcome: 'tooMany' })
  })

  test('returns the total and no users for a page past the end', async () => {
    const page = { kind: 'index', offset: userCount * 2, limit: 100 } as const

    const outcome = await database.storage.provisionedUsers.list({
      providerId: provider,
      filter: undefined,
      sort: undefined,
      page,
    })

    expect(outcome).toMatchObject({ outcome: 'listed', records: [] })
    expect(outcome.outcome === 'listed' && outcome.total).toBeCloseTo(userCount, -2)
  })
})

/** The value by which a user is sorted, or undefined if the user has none. */
const sortValues: Readonly<Record<string, (n: number) => string | number | undefined>> = {
  id: (n) => filledUser(n).userId,
  userName: (n) => filledUser(n).userName,
  displayName: () => undefined,
  'name.familyName': (n) => `person ${n % 1000}`,
  'meta.created': (n) => n,
  'meta.lastModified': (n) => n,
  // The work address is primary, so it decides the order.
  emails: (n) => filledUser(n).workEmail,
  phoneNumbers: (n) => `tel:+47-555-${n}`,
}

/**
 * Returns the identifiers of all users in the order of a value. Users with equal values are ordered by age, which is the order
 * of their numbers.
 */
const inOrderOf = (valueOf: (n: number) => string | number | undefined): readonly string[] =>
  Array.from({ length: userCount }, (_, index) => ({ n: index + 1, value: valueOf(index + 1) ?? '' }))
    .toSorted((one, other) => (one.value === other.value ? one.n - other.n : one.value < other.value ? -1 : 1))
    .map(({ n }) => filledUser(n).userId)

const requests: Readonly<Record<string, (storage: AdminStorage) => Promise<unknown>>> = {
  'userName eq': (storage) => expectUser(storage, text('userName', target.userName)),
  'externalId eq': (storage) => expectUser(storage, text('externalId', target.externalId)),
  'id eq': (storage) => expectUser(storage, text('id', target.userId)),
  'id eq … and … eq': (storage) =>
    expectUser(storage, and(text('id', target.userId), text('title', 'vice president of nothing in particular'))),
  'userName eq … or userName eq …': (storage) =>
    expectUser(storage, or(text('userName', 'nobody'), text('userName', target.userName))),
  'emails[type eq "work"].value eq': (storage) =>
    expectUser(storage, element('emails', and(text('type', 'work'), text('value', target.workEmail)))),
  'emails.value eq … and active eq true': (storage) =>
    expectUser(
      storage,
      and(
        { kind: 'boolean', attribute: attribute('active'), operator: 'eq', value: true },
        element('emails', text('value', target.workEmail)),
      ),
    ),
  'groups.value eq': async (storage) =>
    expect(await list(storage, element('groups', text('value', 'filled-group-0')))).toMatchObject({
      total: userCount / 10,
    }),
  'a page of 100': (storage) => pageOf(storage, { kind: 'index', offset: 0, limit: 100 }),
  'a page of 100 from the middle': (storage) => pageOf(storage, { kind: 'index', offset: userCount / 2, limit: 100 }),
  'a page of 100 after a cursor': (storage) =>
    pageOf(storage, { kind: 'cursor', after: `${1_700_000_000 + userCount / 2}.z`, limit: 100 }),
  'reading a user': async (storage) =>
    expect(await storage.provisionedUsers.find(provider, userId(target.userId))).toBeDefined(),
  'reading a user by externalId': async (storage) =>
    expect(await storage.provisionedUsers.findByExternalId(provider, target.externalId)).toBeDefined(),
  'a change of a user': async (storage) => {
    const before = await storage.provisionedUsers.find(provider, userId(target.userId))
    const state = aProvisionedState('other', { active: false })
    const change = {
      providerId: provider,
      userId: userId(target.userId),
      version: before?.version ?? 0,
      state,
      now: later,
    }
    expect(await storage.provisionedUsers.compareAndSwap(change)).toMatchObject({ outcome: 'swapped' })
  },
  'a new member of a group': async (storage) => {
    const members = { kind: 'delta', add: [filledUser(1).userId], remove: [filledUser(10).userId] } as const
    const change = {
      providerId: provider,
      groupId: groupId('filled-group-0'),
      version: undefined,
      state: undefined,
      members,
    }
    expect(await storage.groups.change({ ...change, now: later })).toMatchObject({ outcome: 'swapped' })
  },
  'groups by displayName eq': async (storage) => {
    const page = { kind: 'index', offset: 0, limit: 100 } as const
    const query = { providerId: provider, filter: text('displayName', 'group 7'), sort: undefined, page }
    expect(await storage.groups.list(query)).toMatchObject({ total: 1 })
  },
  'groups by members.value eq': async (storage) => {
    const page = { kind: 'index', offset: 0, limit: 100 } as const
    const query = {
      providerId: provider,
      filter: element('members', text('value', filledUser(20).userId)),
      sort: undefined,
      page,
    }
    expect(await storage.groups.list(query)).toMatchObject({ total: 2 })
  },
  'the removal of a user': async (storage) => {
    const request = { providerId: provider, userId: userId(filledUser(40).userId), version: undefined, now: later }
    expect(await storage.provisionedUsers.remove(request)).toEqual({ outcome: 'removed' })
  },
}

const list = (storage: AdminStorage, filter: ResolvedFilter, sort?: SortKey) =>
  storage.provisionedUsers.list({
    providerId: provider,
    filter,
    sort,
    page: { kind: 'index', offset: 0, limit: 100 },
  })

async function expectUser(storage: AdminStorage, filter: ResolvedFilter): Promise<void> {
  expect(await list(storage, filter)).toMatchObject({
    outcome: 'listed',
    total: 1,
    records: [{ userId: target.userId }],
  })
}

async function pageOf(storage: AdminStorage, page: ListPage, sort?: SortKey) {
  const outcome = await storage.provisionedUsers.list({ providerId: provider, filter: undefined, sort, page })
  expect(outcome).toMatchObject({ outcome: 'listed', total: userCount, records: { length: 100 } })
  return outcome.outcome === 'listed'
    ? { ids: outcome.records.map((user) => user.userId), next: outcome.next }
    : { ids: [], next: undefined }
}

function sortedBy(name: string, direction: SortKey['direction']): SortKey {
  const multiValued = name === 'emails' || name === 'phoneNumbers'
  return {
    attribute: { ...attribute(name), multiValued },
    elementPart: multiValued ? 'value' : undefined,
    direction,
  }
}

function attribute(path: string): FilterAttribute {
  const [name = '', subName] = path.split('.')
  return { extension: undefined, name, subName, multiValued: false }
}
const text = (name: string, value: string): ResolvedFilter => ({
  kind: 'text',
  attribute: attribute(name),
  operator: 'eq',
  value,
})
const and = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'and', operands })
const or = (...operands: readonly ResolvedFilter[]): ResolvedFilter => ({ kind: 'or', operands })
const element = (name: string, where: ResolvedFilter): ResolvedFilter => ({
  kind: 'element',
  attribute: { ...attribute(name), multiValued: true },
  where,
})
