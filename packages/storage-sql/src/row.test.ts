import { expect, test, vi } from 'vitest'
import type { SqlRow } from './dialect.ts'
import { createColumnReader, takeColumns, readIfChanged, toIndexByColumn, toSqlRows, valueOf } from './row.ts'
import { sqlite } from './sqlite/index.ts'

test('reads a value of each row by the name of its column', () => {
  const rows = toSqlRows([
    { client_id: 'a', disabled_at: null },
    { client_id: 'b', disabled_at: 7 },
  ])

  expect(rows.map((row) => [valueOf(row, 'client_id'), valueOf(row, 'disabled_at')])).toEqual([
    ['a', null],
    ['b', 7],
  ])
})

test('throws for a column that a row does not have', () => {
  const [row] = toSqlRows([{ client_id: 'a' }])

  expect(() => row && valueOf(row, 'disabled_at')).toThrow('disabled_at')
})

test('converts an empty result to no rows', () => {
  expect(toSqlRows([])).toEqual([])
})

test('throws for a column for which a driver returned no value', () => {
  const [row] = toSqlRows([{ client_id: undefined }])

  expect(() => row && valueOf(row, 'client_id')).toThrow('The column client_id is missing')
})

test('throws for NULL in a column that must have a value', () => {
  const [row] = toSqlRows([{ client_id: null }])

  expect(() => row && createColumnReader(sqlite).text(row, 'client_id')).toThrow('The column client_id is NULL')
})

const joinedRow = { indexByColumn: toIndexByColumn(['grant_id', 'user_id', 'user_active']), values: ['g', 'u', 1] }

test('takeColumns takes the columns of one table from a joined row', () => {
  const own = takeColumns({ alias: 'user', columns: ['id', 'active'] })(joinedRow)

  expect([...own.indexByColumn.keys()]).toEqual(['id', 'active'])
  expect([valueOf(own, 'id'), valueOf(own, 'active')]).toEqual(['u', 1])
})

test('takeColumns throws for a table that the statement does not join', () => {
  const take = takeColumns({ alias: 'client', columns: ['id'] })

  expect(() => take(joinedRow)).toThrow('client_id')
})

test('a row is read again only after one of its values has changed, and its record is frozen', () => {
  const indexByColumn = toIndexByColumn(['id', 'scopes'])
  const read = vi.fn(({ values }: SqlRow) => ({ scopes: [values[1]] }))
  const readChanged = readIfChanged(read)

  const first = readChanged('a', { indexByColumn, values: ['a', 'read'] })
  const again = readChanged('a', { indexByColumn, values: ['a', 'read'] })
  const other = readChanged('b', { indexByColumn, values: ['b', 'read'] })
  const changed = readChanged('a', { indexByColumn, values: ['a', 'write'] })

  expect(again).toBe(first)
  expect(other).not.toBe(first)
  expect(changed).toEqual({ scopes: ['write'] })
  expect(readChanged('a', { indexByColumn, values: ['a', 'read'] })).toEqual({ scopes: ['read'] })
  expect(read).toHaveBeenCalledTimes(4)
  expect([first, first.scopes].every(Object.isFrozen)).toBe(true)
})

test('a row of another statement is read again, because its columns may be in another order', () => {
  const readChanged = readIfChanged((row) => ({ id: valueOf(row, 'id') }))

  readChanged('a', { indexByColumn: toIndexByColumn(['id', 'name']), values: ['a', 'b'] })

  expect(readChanged('a', { indexByColumn: toIndexByColumn(['name', 'id']), values: ['a', 'b'] })).toEqual({ id: 'b' })
})
