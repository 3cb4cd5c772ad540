import { describe, expect, test } from 'vitest'
import { tagsNamed } from '../test/html-reader.ts'
import { bodyOf, headerOf, tokensOf } from '../test/response-parts.ts'
import { html } from './html.ts'
import { page } from './page.ts'
import { stylesheetHash } from './stylesheet.ts'

const aPage = (formAction: Parameters<typeof page>[0]['formAction'] = 'none') =>
  page({
    brand: undefined,
    messages: { lang: 'ar', dir: 'rtl' },
    title: '</title><b>',
    status: 418,
    formAction,
    body: html`<p>hello</p>`,
  })

describe('page', () => {
  test('no page can be framed, run scripts or load resources (RFC 9700 §4.16)', () => {
    const response = aPage()

    expect(response.status).toBe(418)
    expect(headerOf(response, 'Content-Security-Policy')).toBe(
      `default-src 'none'; style-src '${stylesheetHash}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(headerOf(response, 'X-Frame-Options')).toBe('DENY')
    expect(headerOf(response, 'X-Content-Type-Options')).toBe('nosniff')
    expect(headerOf(response, 'Cache-Control')).toBe('no-store')
    expect(headerOf(response, 'Content-Type')).toBe('text/html; charset=utf-8')
  })

  test('hides its address from other origins, but sends the Origin header with its own form', () => {
    expect(headerOf(aPage(), 'Referrer-Policy')).toBe('same-origin')
  })

  test.each([
    ['none', "form-action 'none'; "],
    ['self', "form-action 'self'; "],
    ['leaves', ''],
  ] as const)(
    'a form stays at the server, or may be redirected through any origin and scheme (CSP 3 §6.4.1): %s',
    (formAction, directive) => {
      expect(headerOf(aPage(formAction), 'Content-Security-Policy')).toBe(
        `default-src 'none'; style-src '${stylesheetHash}'; ${directive}frame-ancestors 'none'; base-uri 'none'`,
      )
    },
  )

  test('is a document with language, direction, title and viewport', () => {
    const tokens = tokensOf(aPage())

    expect(bodyOf(aPage())).toMatch(/^<!doctype html>\n/)
    expect(tagsNamed(tokens, 'html')).toEqual([{ lang: 'ar', dir: 'rtl' }])
    expect(bodyOf(aPage())).toContain('<title>&lt;/title&gt;&lt;b&gt;</title>')
    expect(tagsNamed(tokens, 'meta')).toContainEqual({
      name: 'viewport',
      content: 'width=device-width, initial-scale=1',
    })
    expect(tagsNamed(tokens, 'b')).toEqual([])
  })
})
