import { expect, test } from 'vitest'
import { placesOf } from '../row.ts'
import { sqliteJoinedRows } from './engine.ts'

const row = { places: placesOf(['grant_id', 'user_id', 'user_active']), values: ['g', 'u', 1] }

test('of a joined row a table has its own columns', () => {
  const own = sqliteJoinedRows.take({ alias: 'user', columns: ['id', 'active'] })(row)

  expect([...own.places.keys()]).toEqual(['id', 'active'])
  expect(own.values).toEqual(['u', 1])
})

test('a table that the statement does not join is not read out of the columns of another', () => {
  const take = sqliteJoinedRows.take({ alias: 'client', columns: ['id'] })

  expect(() => take(row)).toThrow('client_id')
})
