import { expect, test } from 'vitest'
import { aFormRequest } from '../test/form-request.ts'
import { textOf } from '../test/html-reader.ts'
import { headerOf, tokensOf } from '../test/response-parts.ts'
import { english } from './languages/english.ts'
import { german } from './languages/german.ts'
import { errorPage } from './notices.ts'

const languages = [english, german]

test('shows the user an error that must not be redirected, with its code (RFC 6749 §4.1.2.1)', () => {
  const error = { status: 400, code: 'invalid_request', description: 'The <client> is unknown.' }

  const response = errorPage({ ...error, languages, locale: 'de' })

  expect(response.status).toBe(400)
  expect(headerOf(response, 'Location')).toBeUndefined()
  expect(headerOf(response, 'Content-Security-Policy')).toContain(`form-action 'none';`)
  expect(textOf(tokensOf(response))).toContain('The <client> is unknown.')
  expect(textOf(tokensOf(response))).toContain('Fehlercode: invalid_request')
})

test.each([
  ['en', 'Your account is deactivated.', 'start again'],
  ['de', 'Ihr Konto ist deaktiviert.', 'deactivated'],
])('tells a deactivated user in the language %s what helps, and nothing else', (locale, advice, other) => {
  const problem = {
    code: 'access_denied',
    description: 'Your account is deactivated.',
    problem: 'account_deactivated',
  } as const

  const text = textOf(tokensOf(errorPage({ status: 403, ...problem, languages, locale })))

  expect(text).toContain(advice)
  expect(text).not.toContain(other)
})

test.each([
  ['/auth?client_id=nobody', 'de-AT, en;q=0.5', 'de'],
  ['/auth?ui_locales=sv+de', 'en', 'de'],
  ['/auth?ui_locales=%00', '', 'en'],
])('uses the language of the request: %s, Accept-Language %s (RFC 9110 §12.5.4)', (path, language, lang) => {
  const request = { ...aFormRequest({ method: 'GET', body: '' }), url: new URL(path, 'https://as.test') }
  const error = { status: 400, code: 'invalid_request', description: 'The client is unknown.', languages }

  const asked = errorPage(error, { ...request, headers: new Map([['accept-language', language]]) })
  const chosen = errorPage({ ...error, locale: 'en' }, request)

  expect([asked, chosen].map((page) => /<html lang="(..)"/.exec(String(page.body))?.[1])).toEqual([lang, 'en'])
})

test("in other languages, the server's English sentence comes after the advice", () => {
  const order = (locale: string) => {
    const text = textOf(
      tokensOf(errorPage({ status: 400, code: 'invalid_request', description: 'Unknown.', languages, locale })),
    )
    return text.indexOf('Unknown.') < text.indexOf(locale === 'de' ? german.error.advice : english.error.advice)
  }

  expect([order('en'), order('de')]).toEqual([true, false])
})

test('shows the identifier that support can search for, as text', () => {
  const error = { status: 400, code: 'invalid_request', description: 'Unknown.', languages, locale: 'de' }

  const shown = textOf(tokensOf(errorPage({ ...error, correlationId: 'a<b>7' })))
  const hidden = textOf(tokensOf(errorPage(error)))

  expect(shown).toContain('Referenz: a<b>7')
  expect(hidden).not.toContain('Referenz')
})
