import { placeholdersOf } from '@mintmark/pages/internal'
import { describe, expect, it } from 'vitest'

import { setupCatalogues } from '../directory-setup/languages/catalogues.ts'
import { catalogues } from './catalogues.ts'
import { english } from './english.ts'

const all = [
  ...Object.entries(catalogues).map(([tag, messages]) => ({ of: 'console', tag, messages, english })),
  ...Object.entries(setupCatalogues).map(([tag, messages]) => ({
    of: 'directory set-up',
    tag,
    messages,
    english: setupCatalogues.en,
  })),
]

describe.each(all)('the catalogue $tag of the $of', ({ tag, messages, english: original }) => {
  const texts = textsOf(messages)
  const expected = textsOf(original)

  it('has the tag and the direction of its language', () => {
    expect(messages.lang).toBe(tag)
    expect(Intl.getCanonicalLocales(messages.lang)).toEqual([tag])
    expect(messages.dir).toBe(['ar', 'he'].includes(tag) ? 'rtl' : 'ltr')
  })

  it('has every text, with the placeholders of the English text', () => {
    expect([...texts.keys()]).toEqual([...expected.keys()])
    for (const [name, text] of texts) {
      expect([name, text.trim()]).not.toEqual([name, ''])
      expect([name, placeholdersOf(text)]).toEqual([name, placeholdersOf(expected.get(name) ?? '')])
    }
  })
})

it.each(Object.entries(catalogues))('%s gives each part of the console another name', (_tag, { sections }) => {
  const names = Object.values(sections)

  expect(new Set(names).size).toBe(names.length)
})

function textsOf(group: object, prefix = ''): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(group).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? [...textsOf(value, `${prefix}${key}.`)]
        : [[prefix + key, String(value)] as const],
    ),
  )
}
