import { expect, test } from 'vitest'
import { aFormRequest } from '../../test/form-request.ts'
import { allLanguages } from './all-languages.ts'
import { messagesFor } from './choose-language.ts'
import { english } from './english.ts'
import { german } from './german.ts'
import { portuguese } from './portuguese.ts'

const languages = allLanguages

const fromBrowser = (header: string) => ({
  ...aFormRequest({ method: 'GET', body: '' }),
  headers: new Map([['accept-language', header]]),
})

test.each([
  [[], 'en', 'en'],
  [['de'], 'en', 'de'],
  [['sv', 'de-AT', 'en'], 'fr', 'de'],
  [['DE-ch'], 'en', 'de'],
  [['sv'], 'he-IL', 'he'],
  [['den'], '', 'en'],
  [['zh-Hant-TW', 'ja-JP'], '', 'ja'],
])('uses the first supported ui_locale: %j, %s → %s (OpenID Connect Core §3.1.2.1)', (uiLocales, header, lang) => {
  expect(messagesFor({ languages, uiLocales }, fromBrowser(header)).lang).toBe(lang)
})

test.each([
  ['en;q=0.5, de;q=0.8', 'de'],
  ['sv, de-DE;q=0.9, en;q=0.8', 'de'],
  ['de;q=0, ar', 'ar'],
  ['de;q=0', 'en'],
  ['fr,de', 'fr'],
  ['*', 'en'],
  ['de;q=nonsense', 'en'],
  [';;;,,,', 'en'],
  [`${'x,'.repeat(10_000)}de`, 'en'],
])(
  'uses the language that the browser prefers if neither the host nor the client chooses one: %s → %s (RFC 9110 §12.5.4)',
  (header, lang) => {
    expect(messagesFor({ languages }, fromBrowser(header)).lang).toBe(lang)
  },
)

test.each([
  [{ locale: 'it', uiLocales: ['de'] }, 'it'],
  [{ locale: 'sv', uiLocales: ['de'] }, 'de'],
  [{ uiLocales: ['sv', 'nl'] }, 'nl'],
])("uses the host's language first, then the client's: %j → %s", (choice, lang) => {
  expect(messagesFor({ languages, ...choice }, fromBrowser('ja')).lang).toBe(lang)
})

test.each([
  ['pt', 'pt-BR'],
  ['pt-BR', 'pt-BR'],
  ['pt-PT', 'pt-PT'],
  ['pt-AO', 'pt-BR'],
  ['pt-PT-x-office', 'pt-PT'],
])('chooses the closest of two catalogues of one language: %s → %s (RFC 4647 §3.4)', (header, lang) => {
  const variants = [english, { ...portuguese, lang: 'pt-BR' }, { ...portuguese, lang: 'pt-PT' }]

  expect(messagesFor({ languages: variants }, fromBrowser(header)).lang).toBe(lang)
})

test('chooses the more specific of two matching catalogues (RFC 4647 §3.4)', () => {
  const general = [english, portuguese, { ...portuguese, lang: 'pt-PT' }]

  expect(messagesFor({ languages: general }, fromBrowser('pt-PT')).lang).toBe('pt-PT')
  expect(messagesFor({ languages: general }, fromBrowser('pt-BR')).lang).toBe('pt')
})

test('a user who asks for none of the languages gets the first one', () => {
  expect(messagesFor({ languages: [german, english] }, fromBrowser('sv')).lang).toBe('de')
})

test('without languages the pages are English', () => {
  expect(messagesFor({ uiLocales: ['de'] }, fromBrowser('de')).lang).toBe('en')
})
