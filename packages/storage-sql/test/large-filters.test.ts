import { type AdminStorage, epochSeconds, type ResolvedFilter, userId } from '@mintmark/storage-interface'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import type { FilterAttribute, TextOperator } from '@mintmark/storage-interface/stores'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../../../test/support/rounds.ts'

import { declaredAttributes } from './support/declared-attributes.ts'
import { enginesOfFiles, type OpenDatabase } from './support/migrated-dialects.ts'

const issuer = 'https://issuer.example'
const { providerId } = aProvisionedUser('any')
const users = 60
const addresses = 10

// MariaDB takes long for them, and its other tests show that it has the same statements.
describe.for(enginesOfFiles.slice(0, rounds({ fast: 2, long: 3 })))(
  'filters with many comparisons on $name',
  ({ open }) => {
    let database: OpenDatabase
    let unlimited: AdminStorage
    let limited: AdminStorage
    beforeAll(async () => {
      database = await open()
      const { dialect } = database
      unlimited = await createSqlStorage({ dialect, issuer })
      limited = await createSqlStorage({ dialect, issuer, scanLimit: 3 })
      for (const { provisionedUsers } of [unlimited, limited])
        await provisionedUsers.indexAttributes(declaredAttributes)
      await insertUsers(unlimited)
    })
    afterAll(() => database.remove())

    test.for<[string, ResolvedFilter, readonly number[]]>([
      ['userName eq or displayName eq', or(names(600, 'eq', ['userName', 'displayName'])), [0, 1, 2, 3]],
      ['userName sw or displayName sw', or(names(600, 'sw', ['userName', 'displayName'])), [0, 1, 2, 3]],
      ['userName co or title co', or(names(900, 'co', ['userName', 'title'])), [0, 1, 2, 3]],
      ['emails.value eq', or(inEmails(700, 'eq')), [0, 1, 2, 3]],
      ['emails.value sw', or(inEmails(700, 'sw')), [0, 1, 2, 3]],
      ['emails.value co or id eq', or([...inEmails(350, 'co'), ...names(350, 'eq', ['id'])]), [0, 1, 2, 3]],
      ['userName gt and userName gt', and(names(800, 'gt', ['userName'])), []],
      ['userName sw and userName sw', and(times(800, () => text('userName', 'sw', 'wanted'))), [0, 1, 2, 3]],
      ['title ne and title ne', and(names(900, 'ne', ['title'])), all().slice(4)],
      ['emails.value ne and not emails.value co', and(inEmails(300, 'ne').map(negated)), []],
    ])('finds the users that match hundreds of comparisons: %s (RFC 7644 §3.4.2.2)', async ([, filter, expected]) => {
      const outcome = await list(unlimited, filter)

      expect(outcome).toMatchObject({ outcome: 'listed', total: expected.length })
      expect(outcome.outcome === 'listed' && outcome.records.map((record) => record.userId)).toEqual(
        expected.map((number) => user(number).userId),
      )
    })

    test('finds the column of an attribute only once in a statement with hundreds of comparisons joined by and', async () => {
      const statements: string[] = []
      const { dialect } = database
      const all: SqlDialect['all'] = (statement, ...rest) => (
        statements.push(statement),
        dialect.all(statement, ...rest)
      )
      const storage = await createSqlStorage({ dialect: { ...dialect, all }, issuer })
      statements.length = 0

      await list(storage, and(times(800, (number) => text('id', 'co', `${number}`))))

      expect(statements.length).toBeGreaterThan(0)
      // Twice: to count the users, and for the page.
      expect(Math.max(...statements.map((statement) => statement.split('is null then null').length - 1))).toBe(2)
    })

    test.for<[string, ResolvedFilter, readonly number[]]>([
      ['emails.value co', inEmail('co', 'address'), all()],
      ['emails.value ew', inEmail('ew', ' 3'), all()],
      [
        'emails.value co or co',
        { ...inEmail('co', ''), where: or([text('value', 'co', '1'), text('value', 'co', 'wanted')]) },
        all().filter((number) => number !== 2),
      ],
      ['emails.value co, of a value that the index cuts', inEmail('co', 'end'), [2]],
      [
        'emails.value sw or co, of a value that the index cuts',
        { ...inEmail('co', ''), where: or([text('value', 'sw', 'address 1'), text('value', 'co', 'end')]) },
        [1, 2, ...times(10, (number) => 10 + number)],
      ],
    ])(
      'finds more users than a list may read by one of their values: %s (RFC 7644 §3.4.2.2)',
      async ([, filter, expected]) => {
        const storage = await withLongAddress(database.dialect)

        const pages = [0, 40].map((offset) =>
          storage.provisionedUsers.list({
            providerId,
            filter,
            sort: undefined,
            page: { kind: 'index', offset, limit: 40 },
          }),
        )

        const found = await Promise.all(pages)
        expect(found).toMatchObject([
          { outcome: 'listed', total: expected.length },
          { outcome: 'listed', total: expected.length },
        ])
        expect(
          found.flatMap((page) => (page.outcome === 'listed' ? page.records.map((record) => record.userId) : [])),
        ).toEqual(expected.map((number) => user(number).userId))
      },
    )

    test('rejects many comparisons with a range of an index that has many entries (RFC 7644 §3.12)', async () => {
      const tests = or(times(5, (number) => text('displayName', 'co', `nothing ${number}`)))

      const ofAll = await list(limited, and([text('displayName', 'ge', ''), tests]))
      const ofFew = await list(limited, and([text('displayName', 'sw', 'wanted'), tests]))
      const withRows = await list(limited, and([text('displayName', 'ge', ''), tests, text('title', 'eq', 'x')]))

      expect([ofAll, withRows]).toEqual([{ outcome: 'tooMany' }, { outcome: 'tooMany' }])
      expect(ofFew).toMatchObject({ outcome: 'listed', total: 0 })
    })

    test('counts every index entry of users with many values (RFC 7644 §3.12)', async () => {
      const search = { kind: 'element', attribute: emails, where: text('value', 'co', 'nothing') } as const

      expect(await list(limited, search)).toEqual({ outcome: 'tooMany' })
      expect(await list(unlimited, search)).toMatchObject({ outcome: 'listed', total: 0 })
      expect(await list(limited, text('displayName', 'co', 'nothing'))).toMatchObject({ outcome: 'listed', total: 0 })
    })

    test('counts every comparison with the entries of an index (RFC 7644 §3.12)', async () => {
      const search = (count: number) => or(times(count, (number) => text('displayName', 'co', `nothing ${number}`)))

      // Reading three rows is as much work as comparing three hundred entries once.
      expect(await list(limited, search(5))).toMatchObject({ outcome: 'listed', total: 0, isNearLimit: true })
      expect(await list(limited, search(6))).toEqual({ outcome: 'tooMany' })
    })
  },
)

const insertUsers = ({ provisionedUsers }: AdminStorage): Promise<unknown> =>
  Promise.all(times(users, (number) => provisionedUsers.insert(user(number))))

/** A storage of another issuer, with the same users, of which one has an address that the index cuts. */
async function withLongAddress(dialect: SqlDialect): Promise<AdminStorage> {
  const storage = await createSqlStorage({ dialect, issuer: 'https://long.example', scanLimit: 13 })
  const { state, createdAt } = user(2)
  if ((await storage.provisionedUsers.find(providerId, user(2).userId)) !== undefined) return storage
  await insertUsers(storage)
  const values = [{ value: 'address 2 0 3' }, { value: `${'x'.repeat(250)} end` }]
  const comparable = { ...state.comparable, emails: values }
  await storage.provisionedUsers.compareAndSwap({
    ...user(2),
    version: 1,
    state: { ...state, comparable },
    now: createdAt,
  })
  return storage
}

const all = (): number[] => times(users, (number) => number)

/** Returns a user. Only the first four users have strings that the filters contain. */
function user(number: number) {
  const name = number < 4 ? `wanted ${number}` : `other ${number}`
  const values = times(addresses, (place) => ({ value: place === 7 ? name : `address ${number} ${place}` }))
  const state = aProvisionedState(`${number}`, {
    comparable: { userName: name, displayName: name, title: name, emails: values },
  })
  const createdAt = epochSeconds(1_800_000_000 + number)
  return aProvisionedUser(`${number}`, {
    userId: userId(number < 4 ? `wanted ${number}` : `user ${number}`),
    state,
    createdAt,
  })
}

const names = (count: number, operator: TextOperator, attributes: readonly string[]): readonly ResolvedFilter[] =>
  times(count, (number) => text(attributes[number % attributes.length] ?? '', operator, `wanted ${number}`))

const inEmails = (count: number, operator: TextOperator): readonly ResolvedFilter[] =>
  names(count, operator, ['value']).map((where) => ({ kind: 'element', attribute: emails, where }))

const inEmail = (operator: TextOperator, value: string): Extract<ResolvedFilter, { kind: 'element' }> => ({
  kind: 'element',
  attribute: emails,
  where: text('value', operator, value),
})

const emails: FilterAttribute = { extension: undefined, name: 'emails', subName: undefined, multiValued: true }

const text = (name: string, operator: TextOperator, value: string): Extract<ResolvedFilter, { kind: 'text' }> => ({
  kind: 'text',
  attribute: { extension: undefined, name, subName: undefined, multiValued: false },
  operator,
  value,
})

function or(operands: readonly ResolvedFilter[]): ResolvedFilter {
  return { kind: 'or', operands }
}

function and(operands: readonly ResolvedFilter[]): ResolvedFilter {
  return { kind: 'and', operands }
}

const negated = (operand: ResolvedFilter): ResolvedFilter => ({ kind: 'not', operand })

function times<T>(count: number, make: (number: number) => T): T[] {
  return Array.from({ length: count }, (_, number) => make(number))
}

const list = (storage: AdminStorage, filter: ResolvedFilter) =>
  storage.provisionedUsers.list({
    providerId,
    filter,
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 100 },
  })
