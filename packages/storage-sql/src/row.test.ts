import { expect, test } from 'vitest'
import { rowsByPlace, valueOf } from './row.ts'

test('a value stands where its column does, in each row', () => {
  const rows = rowsByPlace([
    { client_id: 'a', disabled_at: null },
    { client_id: 'b', disabled_at: 7 },
  ])

  expect(rows.map((row) => [valueOf(row, 'client_id'), valueOf(row, 'disabled_at')])).toEqual([
    ['a', null],
    ['b', 7],
  ])
})

test('a column that a row does not have is not read as empty', () => {
  const [row] = rowsByPlace([{ client_id: 'a' }])

  expect(() => row && valueOf(row, 'disabled_at')).toThrow('disabled_at')
})

test('no rows are no rows', () => {
  expect(rowsByPlace([])).toEqual([])
})
