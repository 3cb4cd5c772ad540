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
import { filledAccount } from './support/fill-provider.ts'

// A hundred thousand accounts of one provider. SQLite has no statistics, as in a database that nobody has analysed.
const accounts = 100_000
const provider = providerId('provider-1')
const person = filledAccount(54_321)
const later = epochSeconds(1_800_000_000)

describe.for([
  { name: 'SQLite', open: filledSqlite },
  { name: 'PostgreSQL', open: filledPostgres },
])('a hundred thousand users on $name', ({ open }) => {
  let database: FilledDatabase
  beforeAll(async () => {
    database = await open(accounts)
  }, 180_000)
  afterAll(() => database.close())

  test.for(Object.entries(sortValues))(
    'shows a page in the order of %s, which an index has',
    async ([name, valueOf]) => {
      const sorted = inOrderOf(valueOf)

      database.ran()

      expect(await firstPage(database.storage, [name, 'ascending'])).toEqual(sorted.slice(0, 100))
      expect(await firstPage(database.storage, [name, 'descending'])).toEqual(sorted.toReversed().slice(0, 100))

      const pages = database.ran().filter(({ statement }) => statement.startsWith('with page'))
      expect(await Promise.all(pages.map((page) => database.sortsForPage(page)))).toEqual([0, 0])
    },
  )

  test.for(Object.entries(requests))('%s is bound by an index', async ([, request]) => {
    database.ran()

    await request(database.storage)

    const ran = database.ran()
    expect(ran.length).toBeGreaterThan(0)
    for (const each of ran) expect({ ...each, scans: await database.scansOf(each) }).toMatchObject({ scans: [] })
  })

  test('rejects a filter that would read all rows before it reads them (RFC 7644 §3.12)', async () => {
    database.ran()
    const filter: ResolvedFilter = { kind: 'text', attribute: attribute('title'), operator: 'co', value: 'president' }

    const outcome = await list(database.storage, filter)

    expect(outcome).toEqual({ outcome: 'tooMany' })
    expect(database.ran().map(({ statement }) => /mintmark_\w+/.exec(statement)?.[0])).toEqual([
      'mintmark_provider_totals',
    ])
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

  test('a page past the end returns the total and reads no rows', async () => {
    const page = { kind: 'index', offset: accounts * 2, limit: 100 } as const

    const outcome = await database.storage.provisionedUsers.list({
      providerId: provider,
      filter: undefined,
      sort: undefined,
      page,
    })

    expect(outcome).toMatchObject({ outcome: 'listed', records: [] })
    expect(outcome.outcome === 'listed' && outcome.total).toBeCloseTo(accounts, -2)
  })
})

/** What an account is sorted by, or undefined if it has no such value. */
const sortValues: Readonly<Record<string, (n: number) => string | number | undefined>> = {
  id: (n) => filledAccount(n).userId,
  userName: (n) => filledAccount(n).userName,
  displayName: () => undefined,
  'name.familyName': (n) => `person ${n % 1000}`,
  'meta.created': (n) => n,
  'meta.lastModified': (n) => n,
  // The work address is primary; the others come first in this order.
  emails: (n) => filledAccount(n).workEmail,
  phoneNumbers: (n) => `tel:+47-555-${n}`,
}

/** The identifiers of all accounts; equal ones are by age, which is their number. */
const inOrderOf = (valueOf: (n: number) => string | number | undefined): readonly string[] =>
  Array.from({ length: accounts }, (_, index) => ({ n: index + 1, value: valueOf(index + 1) ?? '' }))
    .toSorted((one, other) => (one.value === other.value ? one.n - other.n : one.value < other.value ? -1 : 1))
    .map(({ n }) => filledAccount(n).userId)

const requests: Readonly<Record<string, (storage: AdminStorage) => Promise<unknown>>> = {
  'userName eq': (storage) => finds(storage, text('userName', person.userName)),
  'externalId eq': (storage) => finds(storage, text('externalId', person.externalId)),
  'id eq': (storage) => finds(storage, text('id', person.userId)),
  'id eq … and … eq': (storage) =>
    finds(storage, and(text('id', person.userId), text('title', 'vice president of nothing in particular'))),
  'userName eq … or userName eq …': (storage) =>
    finds(storage, or(text('userName', 'nobody'), text('userName', person.userName))),
  'emails[type eq "work"].value eq': (storage) =>
    finds(storage, element('emails', and(text('type', 'work'), text('value', person.workEmail)))),
  'emails.value eq … and active eq true': (storage) =>
    finds(
      storage,
      and(
        { kind: 'boolean', attribute: attribute('active'), operator: 'eq', value: true },
        element('emails', text('value', person.workEmail)),
      ),
    ),
  'groups.value eq': async (storage) =>
    expect(await list(storage, element('groups', text('value', 'filled-group-0')))).toMatchObject({
      total: accounts / 10,
    }),
  'a page of 100': (storage) => showsPage(storage, { kind: 'index', offset: 0, limit: 100 }),
  'a page of 100 from the middle': (storage) => showsPage(storage, { kind: 'index', offset: accounts / 2, limit: 100 }),
  'a page of 100 behind a cursor': (storage) =>
    showsPage(storage, { kind: 'cursor', after: `${1_700_000_000 + accounts / 2}.z`, limit: 100 }),
  'reading one': async (storage) =>
    expect(await storage.provisionedUsers.find(provider, userId(person.userId))).toBeDefined(),
  'reading one by externalId': async (storage) =>
    expect(await storage.provisionedUsers.findByExternalId(provider, person.externalId)).toBeDefined(),
  PATCH: async (storage) => {
    const before = await storage.provisionedUsers.find(provider, userId(person.userId))
    const state = aProvisionedState('other', { active: false })
    const change = {
      providerId: provider,
      userId: userId(person.userId),
      version: before?.version ?? 0,
      state,
      now: later,
    }
    expect(await storage.provisionedUsers.compareAndSwap(change)).toMatchObject({ outcome: 'swapped' })
  },
  'a new member of a group': async (storage) => {
    const members = { kind: 'delta', add: [filledAccount(1).userId], remove: [filledAccount(10).userId] } as const
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
      filter: element('members', text('value', filledAccount(20).userId)),
      sort: undefined,
      page,
    }
    expect(await storage.groups.list(query)).toMatchObject({ total: 2 })
  },
  removal: async (storage) => {
    const request = { providerId: provider, userId: userId(filledAccount(40).userId), version: undefined, now: later }
    expect(await storage.provisionedUsers.remove(request)).toEqual({ outcome: 'removed' })
  },
}

const list = (storage: AdminStorage, filter: ResolvedFilter) =>
  storage.provisionedUsers.list({
    providerId: provider,
    filter,
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 100 },
  })

async function finds(storage: AdminStorage, filter: ResolvedFilter): Promise<void> {
  expect(await list(storage, filter)).toMatchObject({
    outcome: 'listed',
    total: 1,
    records: [{ userId: person.userId }],
  })
}

async function showsPage(storage: AdminStorage, page: ListPage, sort?: SortKey): Promise<readonly string[]> {
  const outcome = await storage.provisionedUsers.list({ providerId: provider, filter: undefined, sort, page })
  expect(outcome).toMatchObject({ outcome: 'listed', total: accounts, records: { length: 100 } })
  return outcome.outcome === 'listed' ? outcome.records.map((user) => user.userId) : []
}

const firstPage = (
  storage: AdminStorage,
  [name, direction]: readonly [name: string, direction: SortKey['direction']],
): Promise<readonly string[]> => showsPage(storage, { kind: 'index', offset: 0, limit: 100 }, sortedBy(name, direction))

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
