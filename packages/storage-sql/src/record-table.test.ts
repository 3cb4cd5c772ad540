import type { JsonValue } from '@mintmark/storage-interface'
import { clients } from '@mintmark/storage-interface/records'
import { expect, test } from 'vitest'
import { rowReader } from './record-table.ts'
import { toIndexByColumn } from './row.ts'
import { sqlite } from './sqlite/index.ts'

const { redirectUris: list } = clients.fields

test.each<JsonValue>([
  [[]],
  [{}],
  [['a']],
  [['']],
  [['a', 'b']],
  [['a', 1]],
  [[1, 'a']],
  [[1, 2]],
  [['a\\b']],
  [['"']],
  [['\u0000']],
  [[['a']]],
  [{ a: ['b'] }],
  [12],
  [true],
  ['text'],
])('reads the JSON of %j as the JSON parser does', (value) => {
  const read = rowReader({ list }, sqlite)

  expect(read({ indexByColumn: toIndexByColumn(['list']), values: [JSON.stringify(value)] })).toEqual({ list: value })
})

test('throws for NULL in the column of a member that every record has', () => {
  const read = rowReader({ list }, sqlite)

  expect(() => read({ indexByColumn: toIndexByColumn(['list']), values: [null] })).toThrow('The column list is NULL')
})
