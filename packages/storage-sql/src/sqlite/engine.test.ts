import { expect, test } from 'vitest'
import { toIndexByColumn, valueOf } from '../row.ts'
import { sqliteJoinedRows } from './engine.ts'

const row = { indexByColumn: toIndexByColumn(['grant_id', 'user_id', 'user_active']), values: ['g', 'u', 1] }

test('take returns the columns of one table from a joined row', () => {
  const own = sqliteJoinedRows.take({ alias: 'user', isJoined: true, columns: ['id', 'active'] })(row)

  expect([...own.indexByColumn.keys()]).toEqual(['id', 'active'])
  expect([valueOf(own, 'id'), valueOf(own, 'active')]).toEqual(['u', 1])
})

test('take throws for a table that the statement does not join', () => {
  const take = sqliteJoinedRows.take({ alias: 'client', isJoined: true, columns: ['id'] })

  expect(() => take(row)).toThrow('client_id')
})

test('a joined table with many columns is selected as lists of at most 30 values, in which every value keeps its type', () => {
  const columns = Array.from({ length: 70 }, (_, index) => `c${index}`)
  const table = { alias: 'client', isJoined: true, columns }
  const names = ['client_list_0', 'client_list_1', 'client_list_2']
  const stored = columns.map((_, index) => (index === 69 ? null : index % 2 === 0 ? index : `text ${index}`))
  const lists = [stored.slice(0, 30), stored.slice(30, 60), stored.slice(60)].map((list) => JSON.stringify(list))

  expect(sqliteJoinedRows.select(table).map(({ alias }) => alias)).toEqual(names)
  const own = sqliteJoinedRows.take(table)({ indexByColumn: toIndexByColumn(names), values: lists })

  expect(columns.map((column) => own.values[own.indexByColumn.get(column) ?? -1])).toEqual(stored)
})
