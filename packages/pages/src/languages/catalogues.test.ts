import { describe, expect, test } from 'vitest'
import { allLanguages } from './all-languages.ts'
import { checkLanguages } from './check-languages.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import type { Messages } from './messages.ts'

const translations = allLanguages
  .filter(({ lang }) => lang !== 'en')
  .map((messages) => [messages.lang, messages] as const)

test('there are ten languages, of which Arabic and Hebrew run from right to left', () => {
  expect(allLanguages.map(({ lang, dir }) => `${lang} ${dir}`)).toEqual([
    'en ltr',
    'de ltr',
    'fr ltr',
    'es ltr',
    'it ltr',
    'pt ltr',
    'nl ltr',
    'ja ltr',
    'ar rtl',
    'he rtl',
  ])
})

test('every catalogue has every text and every placeholder', () => {
  expect(() => checkLanguages(allLanguages)).not.toThrow()
})

describe.each(translations)('the catalogue of %s', (lang, messages) => {
  test('repeats no English sentence', () => {
    const inEnglish = new Map(sentencesOf(english))
    const same = sentencesOf(messages).filter(([name, text]) => text === inEnglish.get(name))

    expect(same.map(([, text]) => text)).toEqual(sameInBoth[lang] ?? [])
  })

  test('describes the scopes that the server itself describes in English', () => {
    const names = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'organization']

    expect(Object.keys(messages.consent.scopes).toSorted()).toEqual(names.toSorted())
  })

  test('has no spaces at the edges of a text, no double spaces, no straight quotes and no markup', () => {
    const careless = sentencesOf(messages).filter(([, text]) => /^\s|\s$|\s\s|['"<>&]/.test(text))

    expect(careless).toEqual([])
  })
})

test('French sentences have a no-break space before each punctuation mark, so that no line starts with the mark', () => {
  expect(sentencesOf(french).filter(([, text]) => / [?;:!]/.test(text))).toEqual([])
})

test.each(translations.filter(([lang]) => ['ja', 'ar', 'he'].includes(lang)))(
  'the catalogue of %s uses no Latin letters except in placeholders',
  (_lang, messages) => {
    const latin = sentencesOf(messages).filter(([, text]) => /\p{Script=Latin}/u.test(text.replace(/\{\w+\}/g, '')))

    expect(latin).toEqual([])
  },
)

/** Texts that are the same in English, because the language uses the English word. */
const sameInBoth: Readonly<Record<string, readonly string[]>> = {
  de: ['Website', 'Passkeys', 'Passkey'],
  it: ['Password', 'Passkey'],
  nl: ['Website', 'Passkeys', 'Passkey'],
}

function sentencesOf({ lang: _lang, dir: _dir, ...texts }: Messages): readonly (readonly [string, string])[] {
  return flatten(texts)
}

const flatten = (group: object, prefix = ''): readonly (readonly [string, string])[] =>
  Object.entries(group).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? flatten(value, `${prefix}${key}.`)
      : [[`${prefix}${key}`, String(value)] as const],
  )
