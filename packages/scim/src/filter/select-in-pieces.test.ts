import { runAtOnce } from '@mintmark/internal'
import { matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { selectInPieces } from './select-in-pieces.ts'

const value = { extension: undefined, name: 'value', subName: undefined, multiValued: false }
const compared = (operator: 'eq' | 'co', text: string): ResolvedFilter => ({
  kind: 'text',
  attribute: value,
  operator,
  value: text,
})
const items = Array.from({ length: 100 }, (_, index) => ({ value: `user-${index}` }))
const repeated = (length: number, filter: (index: number) => ResolvedFilter): ResolvedFilter => ({
  kind: 'or',
  operands: Array.from({ length }, (_, index) => filter(index)),
})

test.each([
  ['one comparison', compared('co', '7')],
  ['equalities', repeated(5000, (index) => compared('eq', `user-${index * 2}`))],
  ['few comparisons', repeated(3, (index) => compared('co', `${index}9`))],
  ['many comparisons', repeated(5000, (index) => compared('co', `${index + 90}`))],
  [
    'many comparisons inside other filters',
    repeated(10, () => ({ kind: 'not', operand: repeated(900, () => compared('co', 'u')) })),
  ],
  ['no comparison', { kind: 'or', operands: [] }],
] satisfies readonly (readonly [string, ResolvedFilter])[])(
  'selects the items that match a filter with %s',
  (_, filter) => {
    const selected = runAtOnce(selectInPieces(items, filter, (item) => item))

    expect([...selected]).toEqual(items.filter(matchesFilter(filter)))
  },
)

test('yields after 2,000 comparisons, however few items there are', () => {
  const filter = repeated(200_000, () => compared('co', 'z'))

  expect([...selectInPieces(items.slice(0, 5), filter, (item) => item)].length).toBeGreaterThanOrEqual(500)
})

test('yields after 1,000 items, however few comparisons there are', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ value: `${index}` }))

  expect([...selectInPieces(many, compared('co', 'z'), (item) => item)].length).toBeGreaterThanOrEqual(10)
})
