import { expect, test } from 'vitest'
import { chooseLocale, messagesIn } from './choose-locale.ts'

test.each([
  [[], undefined, 'en'],
  [['de'], undefined, 'de'],
  [['fr', 'de-AT', 'en'], undefined, 'de'],
  [['DE-ch'], 'en', 'de'],
  [['fr'], 'de', 'de'],
  [['den'], undefined, 'en'],
])('uses the first supported ui_locale: %j, %s → %s (OpenID Connect Core §3.1.2.1)', (uiLocales, header, locale) => {
  expect(chooseLocale(uiLocales, header)).toBe(locale)
})

test.each([
  ['en;q=0.5, de;q=0.8', 'de'],
  ['fr, de-DE;q=0.9, en;q=0.8', 'de'],
  ['de;q=0, en', 'en'],
  ['de;q=0', 'en'],
  ['en,de', 'en'],
  ['*', 'en'],
  ['de;q=nonsense', 'en'],
  [';;;,,,', 'en'],
  [`${'x,'.repeat(10_000)}de`, 'en'],
])("otherwise uses the browser's preference: %s (RFC 9110 §12.5.4)", (header, locale) => {
  expect(chooseLocale([], header)).toBe(locale)
})

test.each([
  [{}, 'en'],
  [{ uiLocales: ['fr', 'de'] }, 'de'],
  [{ uiLocales: ['de'], locale: 'en' }, 'en'],
  [{ uiLocales: ['fr'] }, 'en'],
] as const)("uses the host's language first, then the client's: %j → %s", (choice, lang) => {
  expect(messagesIn(choice).lang).toBe(lang)
})
