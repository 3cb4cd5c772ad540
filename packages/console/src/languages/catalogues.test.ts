import { placeholdersOf } from '@mintmark/pages/internal'
import { describe, expect, it } from 'vitest'

import { catalogues } from './catalogues.ts'
import { english } from './english.ts'

const expected = textsOf(english)

describe.each(Object.entries(catalogues))('the catalogue %s', (tag, messages) => {
  const texts = textsOf(messages)

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

  it('gives each part of the console another name', () => {
    const names = Object.values(messages.sections)

    expect(new Set(names).size).toBe(names.length)
  })
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
