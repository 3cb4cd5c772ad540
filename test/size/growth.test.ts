import { expect, test } from 'vitest'

import { WrongWordsError } from '../../scripts/command-words.ts'
import { type Growth, growthOf, growthTable } from './growth.ts'
import { usersOf } from './issuer-size.ts'

const cost = (
  pages: number,
  more: { readonly workload?: string; readonly statement?: string; readonly rows?: number } = {},
) => ({
  workload: 'refresh',
  statement: 'select "a" from "mintmark_users" join mintmark_grants',
  calls: 100,
  rows: 1,
  pages,
  milliseconds: 0.5,
  ...more,
})

const onlyGrowth = (smaller: number, larger: number): Growth | undefined => growthOf([cost(smaller)], [cost(larger)])[0]

test.each([
  [10, 13, false],
  [10, 14, true],
  [100, 131, true],
  // One more level of the indexes of the row and of two others.
  [3, 6, false],
  [3, 7, true],
  [0, 0, false],
])('a statement that touched %i pages, and then %i, has grown too much: %s', (smaller, larger, isTooMuch) => {
  expect(onlyGrowth(smaller, larger)).toMatchObject({ isTooMuch })
})

test('a page of fifty rows may touch one more page for each', () => {
  const growth = growthOf([cost(100, { rows: 50 })], [cost(152, { rows: 50 })])

  expect(growth).toMatchObject([{ ratio: 1.52, isTooMuch: false }])
  expect(growthOf([cost(100, { rows: 50 })], [cost(153, { rows: 50 })])).toMatchObject([{ isTooMuch: true }])
})

test('compares a statement only with the same statement of the same workload', () => {
  const other = cost(1, { workload: 'userinfo' })

  expect(growthOf([cost(10), other], [cost(20), cost(30, { statement: 'update mintmark_users' })])).toMatchObject([
    { workload: 'refresh', ratio: 2 },
  ])
})

test('names the tables of a statement, and marks what has grown too much', () => {
  const table = growthTable(growthOf([cost(10)], [cost(20)]))

  expect(table).toContain('| refresh | select users, grants | 10.0 | 20.0 | **2.00** | 0.50 | 0.50 |')
})

test.each([
  ['tenth', 1_000_000],
  ['hundredth', 100_000],
  ['20000', 20_000],
])('%s is %i users', (name, users) => {
  expect(usersOf(name)).toBe(users)
})

test.each(['', 'all', '9000', '10500', '-10000'])('refuses %j as a number of users', (name) => {
  expect(() => usersOf(name)).toThrow(WrongWordsError)
})
