import { expect, test } from 'vitest'
import { toMarkup } from './html.ts'
import { initial, shownName } from './shown-name.ts'

const shown = (name: string) => toMarkup(shownName(name, 'no name'))

test.each([
  ['Field Notes', 'Field Notes'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['one\r\n\t two\u2028three', 'one two three'],
  ['', 'no name'],
  ['\u2060\u00AD \uFEFF', 'no name'],
  ['دفتر ملاحظات', 'دفتر ملاحظات'],
  ['evil\u202Egpj.exe', 'evil\u202Egpj.exe'],
])('shows a name on one line and isolated from its sentence: %j', (name, text) => {
  expect(shown(name)).toBe(`<bdi class="name">${text}</bdi>`)
})

test('shortens a name that would push the question off the screen, between characters', () => {
  const name = '🍃'.repeat(5000)

  expect(shown(name)).toBe(`<bdi class="name">${'🍃'.repeat(79)}…</bdi>`)
  expect(shown('x'.repeat(80))).toContain('x'.repeat(80))
})

test.each([
  ['field notes', 'F'],
  ['<4 u>', '4'],
  ['دفتر', 'د'],
  ['☃', undefined],
])('shows the first letter or digit in the tile: %s', (name, letter) => {
  expect(initial(name)).toBe(letter)
})
