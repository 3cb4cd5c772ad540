import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tagsNamed } from '../test/html-reader.ts'
import { bodyOf, headerOf, tokensOf } from '../test/response-parts.ts'
import { html } from './html.ts'
import { formActionSource, page } from './page.ts'
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
    [undefined, `'self'`],
    ['https://app.test/cb', `'self' https://app.test`],
    ['javascript:alert(1)', `'self'`],
  ])('a form may post to its own page and be redirected to %s', (redirectUri, sources) => {
    expect(headerOf(aPage({ redirectUri }), 'Content-Security-Policy')).toContain(`; form-action ${sources}; `)
  })

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

describe('formActionSource', () => {
  test.each([
    ['https://app.test/cb?x=1#y', 'https://app.test'],
    ['https://app.test:8443/cb', 'https://app.test:8443'],
    ['https://app.test:443/cb', 'https://app.test'],
    ['http://127.0.0.1:51000/cb', 'http://127.0.0.1:51000'],
    ['http://localhost:51000/cb', 'http://localhost:51000'],
    ['https://bücher.test/cb', 'https://xn--bcher-kva.test'],
    ['com.example.app:/cb', 'com.example.app:'],
  ])('returns the origin, or the URI scheme of an app (RFC 8252 §7): %s', (redirectUri, source) => {
    expect(formActionSource(redirectUri)).toBe(source)
  })

  test.each([
    ['http://[::1]:51000/cb', 'http://*:51000'],
    ['http://[::1]/cb', 'http://*'],
    ['https://a;b/cb', 'https://*'],
  ])(
    'allows any host on the scheme and port when a policy cannot express the host: %s (CSP 3 §2.3.1)',
    (redirectUri, source) => {
      expect(formActionSource(redirectUri)).toBe(source)
    },
  )

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///x', 'myapp:/cb', '/cb', ''])(
    'returns undefined for %s',
    (redirectUri) => {
      expect(formActionSource(redirectUri)).toBeUndefined()
    },
  )

  test('law: no redirect URI adds a second source, directive or policy', () => {
    const host = fc.string().map((host) => `https://${host}/cb`)
    const scheme = fc.string().map((rest) => `a.b${rest}:/cb`)
    const uri = fc.oneof(fc.webUrl(), fc.string(), host, scheme)

    fc.assert(
      fc.property(uri, (redirectUri) => {
        expect(formActionSource(redirectUri) ?? '').not.toMatch(/[\s;,']/)
      }),
      { numRuns: 1000 },
    )
  })
})
