import { expect, test } from 'vitest'
import { rowsByPlace, valueOf } from './row.ts'

test('reads a value of each row by the name of its column', () => {
  const rows = rowsByPlace([
    { client_id: 'a', disabled_at: null },
    { client_id: 'b', disabled_at: 7 },
  ])

  expect(rows.map((row) => [valueOf(row, 'client_id'), valueOf(row, 'disabled_at')])).toEqual([
    ['a', null],
    ['b', 7],
  ])
})

test('throws for a column that a row does not have', () => {
  const [row] = rowsByPlace([{ client_id: 'a' }])

  expect(() => row && valueOf(row, 'disabled_at')).toThrow('disabled_at')
})

test('converts an empty result to no rows', () => {
  expect(rowsByPlace([])).toEqual([])
})
