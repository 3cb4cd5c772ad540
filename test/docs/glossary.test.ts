import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

it('the glossary has each word once', () => {
  const words = [...readFileSync('docs/glossary.md', 'utf8').matchAll(/^\| (.+?) \| .* \| .* \|$/gm)].map(
    ([, word]) => word,
  )

  expect(words.filter((word, at) => words.indexOf(word) < at)).toEqual([])
})
