import { describe, expect, test } from 'vitest'
import { textOf } from '../test/html-reader.ts'
import { bodyOf, tokensOf } from '../test/response-parts.ts'
import { createPages } from './create-pages.ts'
import { changeMessages } from './languages/change-messages.ts'
import { english } from './languages/english.ts'
import { german } from './languages/german.ts'
import type { Messages } from './languages/messages.ts'

describe('createPages', () => {
  test('accepts a language that the host supplies', () => {
    const frisian: Messages = { ...german, lang: 'fy', signIn: { ...german.signIn, title: 'Oanmelde' } }
    const { locales, signInPage } = createPages({ languages: [english, frisian] })

    const response = signInPage({ uiLocales: ['fy-NL'] })

    expect(locales).toEqual(['en', 'fy'])
    expect(bodyOf(response)).toContain('<html lang="fy" dir="ltr">')
    expect(textOf(tokensOf(response))).toContain('Oanmelde')
  })

  test.each<[string, readonly Messages[], string]>([
    ['an empty list of languages', [], 'createPages: languages needs at least one catalogue.'],
    [
      'two catalogues for one language',
      [english, german, english],
      'createPages: languages has two catalogues for en.',
    ],
    ['a language without a tag', [{ ...german, lang: 'Deutsch (AT)' }], '"Deutsch (AT)" is not a language tag'],
    ['a language tag that is not in canonical case', [{ ...german, lang: 'DE' }], '"DE" is not a language tag'],
    ['an unknown direction', [fromJson('{"dir":"auto"}')], 'in de: dir must be ltr or rtl.'],
    ['a missing text', [JSON.parse('{"lang":"de","dir":"ltr"}') as Messages], 'in de: unnamedClient is missing.'],
    ['an empty text', [changeMessages(german, { signIn: { title: ' ' } })], 'in de: signIn.title must not be empty.'],
    ['an unknown text', [fromJson('{"signIn":{"titel":"x"}}')], 'in de: signIn.titel is unknown.'],
    [
      'a text that lacks a placeholder',
      [fromJson('{"consent":{"heading":"x"}}')],
      'in de: consent.heading must contain the placeholders {client}, but contains none.',
    ],
    [
      'an unknown placeholder',
      [changeMessages(german, { consent: { deny: '{client} ablehnen' } })],
      'in de: consent.deny must contain no placeholders, but contains {client}.',
    ],
  ])('refuses %s', (_what, catalogues, problem) => {
    expect(() => createPages({ languages: catalogues })).toThrow(problem)
  })
})

describe('changeMessages', () => {
  test('replaces single texts and keeps the others', () => {
    const changed = changeMessages(german, { signIn: { title: 'Willkommen', errors: { throttled: 'Zu oft.' } } })

    expect(changed).toEqual({
      ...german,
      signIn: { ...german.signIn, title: 'Willkommen', errors: { ...german.signIn.errors, throttled: 'Zu oft.' } },
    })
    expect(german.signIn.title).toBe('Anmelden')
  })

  test('does not compile with a missing placeholder, an unknown text or an incomplete catalogue', () => {
    // @ts-expect-error -- {client} is missing
    changeMessages(german, { consent: { heading: 'Zugriff' } })
    // @ts-expect-error -- there is no such text
    changeMessages(german, { signIn: { titel: 'Anmelden' } })
    // @ts-expect-error -- most texts are missing
    const incomplete: Messages = { lang: 'de', dir: 'ltr', unnamedClient: 'Ohne Namen' }

    expect(() => createPages({ languages: [incomplete] })).toThrow('is missing')
  })

  test('escapes a changed text like every other text', () => {
    const changed = changeMessages(english, { signIn: { toContinue: '<b>{client}</b> & co' } })
    const { signInPage } = createPages({ languages: [changed] })

    const response = signInPage({ client: { clientName: '{client} <i>' } })

    expect(bodyOf(response)).toContain('&lt;b&gt;<bdi class="name">{client} &lt;i&gt;</bdi>&lt;/b&gt; &amp; co')
  })

  test("adds descriptions of the host's scopes", () => {
    const { consent } = changeMessages(german, { consent: { scopes: { 'orders.read': 'Ihre Bestellungen sehen' } } })

    expect(consent.scopes).toMatchObject({ openid: 'Sie anmelden', 'orders.read': 'Ihre Bestellungen sehen' })
  })
})

/** Applies changes to the German catalogue that the compiler does not check. */
const fromJson = (changes: string): Messages =>
  changeMessages(german, JSON.parse(changes) as Parameters<typeof changeMessages>[1])
