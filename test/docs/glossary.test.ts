import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

it('defines each term of the glossary once, in alphabetical order', () => {
  const terms = [...readFileSync('docs/glossary.md', 'utf8').matchAll(/^\| (.+?) \| .* \|$/gm)]
    .map(([, term = '']) => term)
    .filter((term) => term !== 'term')

  expect(terms.length).toBeGreaterThan(0)
  expect(terms.filter((term, at) => terms.indexOf(term) < at)).toEqual([])
  expect(terms).toEqual(terms.toSorted((a, b) => a.localeCompare(b, 'en')))
})
