import { expect, test } from 'vitest'
import { rowsByPlace } from './rows-by-place.ts'

test('a value stands where its column does, in each row', () => {
  const rows = rowsByPlace([
    { client_id: 'a', disabled_at: null },
    { client_id: 'b', disabled_at: 7 },
  ])

  expect(rows.map(({ places, values }) => [values[places.get('client_id') ?? -1], values[places.get('disabled_at') ?? -1]])).toEqual([
    ['a', null],
    ['b', 7],
  ])
  expect(rows[0]?.places.get('version')).toBeUndefined()
})

test('no rows are no rows', () => {
  expect(rowsByPlace([])).toEqual([])
})
