import { runAtOnce } from '@mintmark/internal'
import { matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'

import { selectInPieces } from './select-in-pieces.ts'

const value = { extension: undefined, name: 'value', subName: undefined, multiValued: false }
const comparison = (operator: 'eq' | 'co', text: string): ResolvedFilter => ({
  kind: 'text',
  attribute: value,
  operator,
  value: text,
})
const items = Array.from({ length: 100 }, (_, index) => ({ value: `user-${index}` }))
const anyOf = (length: number, filter: (index: number) => ResolvedFilter): ResolvedFilter => ({
  kind: 'or',
  operands: Array.from({ length }, (_, index) => filter(index)),
})

test.each([
  ['one comparison', comparison('co', '7')],
  ['equalities', anyOf(5000, (index) => comparison('eq', `user-${index * 2}`))],
  ['few comparisons', anyOf(3, (index) => comparison('co', `${index}9`))],
  ['many comparisons', anyOf(5000, (index) => comparison('co', `${index + 90}`))],
  [
    'many comparisons inside other filters',
    anyOf(10, () => ({ kind: 'not', operand: anyOf(900, () => comparison('co', 'u')) })),
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
  const filter = anyOf(200_000, () => comparison('co', 'z'))

  expect([...selectInPieces(items.slice(0, 5), filter, (item) => item)].length).toBeGreaterThanOrEqual(500)
})

test('yields after 1,000 items, however few comparisons there are', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ value: `${index}` }))

  expect([...selectInPieces(many, comparison('co', 'z'), (item) => item)].length).toBeGreaterThanOrEqual(10)
})
