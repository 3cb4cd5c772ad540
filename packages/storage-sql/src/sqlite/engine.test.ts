import { expect, test } from 'vitest'
import { placesOf, valueOf } from '../row.ts'
import { sqliteJoinedRows } from './engine.ts'

const row = { places: placesOf(['grant_id', 'user_id', 'user_active']), values: ['g', 'u', 1] }

test('a table takes its own columns out of a joined row', () => {
  const own = sqliteJoinedRows.take({ alias: 'user', columns: ['id', 'active'] })(row)

  expect([...own.places.keys()]).toEqual(['id', 'active'])
  expect([valueOf(own, 'id'), valueOf(own, 'active')]).toEqual(['u', 1])
})

test('a table that the statement does not join has no columns in its rows', () => {
  const take = sqliteJoinedRows.take({ alias: 'client', columns: ['id'] })

  expect(() => take(row)).toThrow('client_id')
})
