import { expect, test } from 'vitest'

import { showRecord, table } from './show.ts'

test('shows times as ISO 8601, including times in nested lists', () => {
  const lines: string[] = []
  const io = { out: (line: string) => void lines.push(line) }

  showRecord({ name: 'App', createdAt: 0, secrets: [{ createdAt: 0, lastUsedAt: 60 }] }, { io })

  expect(lines).toEqual([
    'name       App',
    'createdAt  1970-01-01T00:00:00Z',
    'secrets    [{"createdAt":"1970-01-01T00:00:00Z","lastUsedAt":"1970-01-01T00:01:00Z"}]',
  ])
})

test('aligns columns below their headings, without spaces at line ends', () => {
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

test('shows characters that move the cursor or change the writing direction as question marks', () => {
  expect(table(['name'], [['\u001B[2J\u202Eevil\nline']])).toBe('NAME\n?[2J?evil?line')
})
