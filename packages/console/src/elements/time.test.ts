import { toMarkup } from '@mintmark/pages/internal'
import { expect, test } from 'vitest'

import { count } from './time.ts'

test.each([
  ['en', '10,003'],
  ['de', '10.003'],
])('writes a count with the separators of %s: %s', (lang, text) => {
  expect(toMarkup(count(10_003, { lang }))).toBe(text)
})
