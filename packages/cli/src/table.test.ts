import { expect, test } from 'vitest'

import { table } from './table.ts'

test('columns stand below their headings, and lines do not end in spaces', () => {
  expect(
    table(
      ['id', 'name'],
      [
        ['a', 'Ann'],
        ['longer', '-'],
      ],
    ),
  ).toBe('ID      NAME\na       Ann\nlonger  -')
})

test('what would move the cursor, or turn the direction of writing, is shown as a question mark', () => {
  expect(table(['name'], [['\u001B[2J\u202Eevil\nline']])).toBe('NAME\n?[2J?evil?line')
})
