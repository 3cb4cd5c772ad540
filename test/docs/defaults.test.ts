import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'
import { faultsOf, rowsOf } from './rows-with-code.ts'

const page = readFileSync('docs/explanation/defaults.md', 'utf8')

it('every default on the page matches the code it names', () => {
  const rows = rowsOf(page)

  expect(rows.length).toBeGreaterThan(40)
  expect(rows.flatMap((row) => faultsOf(row, readFileSync(row.file, 'utf8')))).toEqual([])
})

it('finds a value that the code does not have, and code that no longer exists', () => {
  const [row] = rowsOf('| a | 16,384 bytes | why | price | [`limit: 16_384`](../../a.ts) |')

  expect(row && faultsOf(row, 'limit: 16_384,')).toEqual([])
  expect(row && faultsOf(row, 'limit: 16_385,')).toEqual(['a: limit: 16_384 is not in a.ts'])
  expect(row && faultsOf({ ...row, value: '16,385 bytes' }, 'limit: 16_384,')).toEqual(['a: 16385 is not in the code'])
})
