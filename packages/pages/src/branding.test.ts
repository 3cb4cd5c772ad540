import { describe, expect, test } from 'vitest'
import { textOf } from '../test/html-reader.ts'
import { bodyOf, headerOf, tokensOf } from '../test/response-parts.ts'
import { gallery } from './gallery.ts'
import { defaults } from './brand-colors.ts'
import type { BrandingOptions } from './branding.ts'
import { createPages } from './create-pages.ts'
import { stylesheet } from './stylesheet.ts'

const png = 'data:image/png;base64,iVBORw0KGgo='

describe('branding', () => {
  test('every page shows the product name in its title and at the top, and the footer links at the bottom', () => {
    const pages = createPages({
      branding: {
        productName: 'Reading <Room>',
        footerLinks: [{ label: 'Privacy & terms', url: 'https://room.test/privacy?a=1&b=2' }],
      },
    })

    for (const response of Object.values(gallery(pages))) {
      const body = bodyOf(response)
      expect(body).toMatch(/<title>[^<]+ – Reading &lt;Room&gt;<\/title>/)
      expect(body).toContain('<p class="brand">Reading &lt;Room&gt;</p>')
      expect(body).toContain('<a href="https://room.test/privacy?a=1&amp;b=2" rel="noreferrer">Privacy &amp; terms</a>')
      expect(headerOf(response, 'Content-Security-Policy')).not.toContain('img-src')
    }
  })

  test('the sign-in page links to the pages of the host', () => {
    const { signInPage } = createPages({
      branding: {
        productName: 'Room',
        forgotPasswordUrl: 'https://room.test/forgot',
        createAccountUrl: 'https://room.test/join',
      },
    })

    const response = signInPage({})

    expect(textOf(tokensOf(response))).toContain('Forgot your password?')
    expect(bodyOf(response)).toContain('<a href="https://room.test/forgot">')
    expect(bodyOf(response)).toContain('<a href="https://room.test/join">Create an account</a>')
  })

  test.each([
    [
      { logo: 'https://cdn.room.test/l.svg' },
      `img-src https://cdn.room.test;`,
      '<img src="https://cdn.room.test/l.svg"',
    ],
    [{ logo: png }, 'img-src data:;', `<img src="${png}" alt="Room">`],
    [
      { logo: png, logoDark: 'https://cdn.room.test/a, b.png' },
      'img-src data: https://cdn.room.test;',
      'srcset="https://cdn.room.test/a%2C%20b.png"',
    ],
  ])('the Content Security Policy allows the logo and no other image: %o (CSP 3 §6.1.4)', (logos, policy, markup) => {
    const { signInPage } = createPages({ branding: { productName: 'Room', ...logos } })

    const response = signInPage({})

    expect(headerOf(response, 'Content-Security-Policy')).toContain(policy)
    expect(bodyOf(response)).toContain(markup)
  })

  test.each<[string, Partial<BrandingOptions>, string, string]>([
    ['icon', { favicon: png }, 'img-src data:;', `<link rel="icon" href="${png}">`],
    [
      'icon of another origin',
      { favicon: 'https://cdn.room.test/i.svg?a&b' },
      'img-src https://cdn.room.test;',
      '<link rel="icon" href="https://cdn.room.test/i.svg?a&amp;b">',
    ],
    [
      'background image',
      { backgroundImage: 'https://cdn.room.test/b.webp' },
      'img-src https://cdn.room.test;',
      'background-image: url("https://cdn.room.test/b.webp")',
    ],
    ['background image in the page', { backgroundImage: png }, 'img-src data:;', `background-image: url("${png}")`],
    [
      'background image whose address would end the style',
      { backgroundImage: 'https://cdn.room.test/b?"\\)</style>' },
      'img-src https://cdn.room.test;',
      'url("https://cdn.room.test/b?%22%5C)%3C/style%3E")',
    ],
    [
      'font',
      { font: { family: 'Room Sans', url: 'https://fonts.room.test/s.woff2' } },
      'font-src https://fonts.room.test;',
      '@font-face { font-family: "Room Sans"; src: url("https://fonts.room.test/s.woff2") format("woff2");',
    ],
    [
      'font in the page',
      { font: { family: 'Room', url: 'data:font/woff2;base64,d09GMg==' } },
      'font-src data:;',
      ':root { --font: "Room", system-ui',
    ],
  ])('every page has the %s, and its policy allows no other origin (CSP 3 §6.1)', (_, brand, directive, markup) => {
    for (const response of Object.values(gallery(createPages({ branding: { productName: 'Room', ...brand } })))) {
      const policy = headerOf(response, 'Content-Security-Policy') ?? ''
      expect(bodyOf(response)).toContain(markup)
      expect(policy).toContain(directive)
      expect(policy.match(/(?:img|font)-src/g)).toHaveLength(1)
    }
  })

  test('a font of the device and the corners need no directive of the policy', () => {
    const { errorPage } = createPages({
      branding: { productName: 'Room', font: { family: 'Inter' }, cornerRadius: 4 },
    })

    const response = errorPage({ status: 400, code: 'invalid_request', description: 'Unknown.' })

    expect(bodyOf(response)).toContain(':root { --radius: 0.25rem; }\n:root { --font: "Inter", system-ui')
    expect(headerOf(response, 'Content-Security-Policy')).not.toMatch(/(?:img|font)-src/)
  })

  test('each response has the colours in a style element with a new nonce (CSP 3 §7.1)', () => {
    const { errorPage } = createPages({ branding: { productName: 'Room', colors: { light: { accent: '#5B21B6' } } } })
    const show = () => errorPage({ status: 400, code: 'invalid_request', description: 'Unknown.' })

    const nonces = [show(), show()].map((response) => {
      const nonce = /<style nonce="([0-9a-f]{32})">/.exec(bodyOf(response))?.[1] ?? 'none'
      expect(headerOf(response, 'Content-Security-Policy')).toContain(`' 'nonce-${nonce}';`)
      expect(bodyOf(response)).toContain('--accent: #5B21B6; --accent-text: #ffffff;')
      return nonce
    })

    expect(new Set(nonces).size).toBe(2)
  })

  test('without a dark accent, brightens the light accent until it has enough contrast (WCAG 2.2 §1.4.3)', () => {
    const { signInPage } = createPages({ branding: { productName: 'Room', colors: { light: { accent: '#5b21b6' } } } })

    const dark = /dark\) \{ :root \{ --accent: (#[0-9a-f]{6})/.exec(bodyOf(signInPage({})))?.[1] ?? ''

    expect(dark).not.toBe('#5b21b6')
    expect(() => createPages({ branding: { productName: 'Room', colors: { dark: { accent: dark } } } })).not.toThrow()
  })

  test.each<[string, Partial<BrandingOptions>, string]>([
    ['a blank name', { productName: ' ' }, 'branding: productName must be a string of 1 to 60 characters.'],
    [
      'options without a name',
      { productName: undefined as never },
      'branding: productName is missing; it must be a string of 1 to 60',
    ],
    ['an unknown option', JSON.parse('{"colours":{}}') as object, 'branding: colours is not an option.'],
    ['a logo over plain http', { logo: 'http://cdn.room.test/l.png' }, 'branding: logo must be an https address'],
    ['a logo that is not an image', { logo: 'data:text/html;base64,PGI+' }, 'branding: logo must be an https address'],
    ['a logo that is too large', { logo: png + 'A'.repeat(65_536) }, 'branding: logo must be an https address'],
    [
      'a logo whose host would end the policy directive',
      { logo: 'https://a;b.test/l.png' },
      'branding: logo must be an https',
    ],
    [
      'an icon over plain http',
      { favicon: 'http://cdn.room.test/i.png' },
      'branding: favicon must be an https address',
    ],
    [
      'a background image whose host would end the directive',
      { backgroundImage: 'https://a;b.test/b.png' },
      'branding: backgroundImage must be an https',
    ],
    [
      'a font whose name would end the rule',
      { font: { family: 'a"; } body { display: none' } },
      'branding.font: family must be the name of a font family',
    ],
    ['a font without a name', { font: { url: 'https://a.test/f' } as never }, 'branding.font: family is missing'],
    [
      'a font over plain http',
      { font: { family: 'a', url: 'http://a.test/f.woff2' } },
      'branding.font: url must be an https address',
    ],
    [
      'a font that is an image',
      { font: { family: 'a', url: 'data:image/png;base64,AAAA' } },
      'branding.font: url must be an https address',
    ],
    ['corners in another unit', { cornerRadius: '4px' as never }, 'branding: cornerRadius must be a whole number'],
    ['corners that are larger than a field', { cornerRadius: 33 }, 'branding: cornerRadius must be a whole number'],
    ['a dark logo without a logo', { logoDark: png }, 'branding: logoDark needs logo.'],
    ['a link that runs script', { forgotPasswordUrl: 'javascript:alert(1)' }, 'forgotPasswordUrl must be an https'],
    ['a link with credentials', { createAccountUrl: 'https://a:b@room.test/' }, 'createAccountUrl must be an https'],
    [
      'a footer link without a label',
      { footerLinks: [{ label: '', url: 'https://room.test' }] },
      'footerLinks needs links',
    ],
    [
      'seven footer links',
      { footerLinks: Array.from({ length: 7 }, () => ({ label: 'a', url: 'https://a.test' })) },
      'at most 6 links',
    ],
    ['a colour by name', { colors: { light: { accent: 'red' } } }, 'branding.colors.light: accent must be a colour'],
    ['a dark colour by name', { colors: { dark: { accent: 'red' } } }, 'branding.colors.dark: accent must be a colour'],
    [
      'an accent that is too bright',
      { colors: { light: { accent: '#ffcc00', accentText: '#000000' } } },
      'branding.colors.light: accent #ffcc00 on the card #ffffff has a contrast of 1.51:1, below 4.5:1 (WCAG 2.2, 1.4.3). ' +
        'The nearest value that passes is #',
    ],
    [
      'text on the accent that is too dark',
      { colors: { light: { accent: '#5b21b6', accentText: '#333333' } } },
      'branding.colors.light: accentText #333333 on accent #5b21b6 has a contrast of 1.',
    ],
    [
      'a background that is too dark for the links on it',
      { colors: { light: { background: '#888888' } } },
      'branding.colors.light: the text #52615a on background #888888 has a contrast of 1.',
    ],
  ])('refuses %s', (_what, options, problem) => {
    expect(() => createPages({ branding: { productName: 'Room', ...options } })).toThrow(problem)
  })

  test.each([
    ['#ffcc00', undefined],
    ['#808080', undefined],
    ['#ff0000', undefined],
    ['#66d5ac', undefined],
    ['#ffffff', undefined],
    ['#ffcc00', '#000000'],
    ['#8a8a8a', '#000000'],
    ['#66d5ac', '#102030'],
  ])('law: accepts the values that the message names for the accent %s with the text %s', (accent, accentText) => {
    const create = (light: { readonly accent: string; readonly accentText?: string | undefined }) => () =>
      createPages({ branding: { productName: 'Room', colors: { light } } })
    let message = ''
    try {
      create({ accent, accentText })()
    } catch (error) {
      message = String(error)
    }
    const [, nearest = 'none', text = accentText] =
      /passes is (#[0-9a-f]{6})(?:, with (#[0-9a-f]{6}) as accentText)?\.$/.exec(message) ?? []

    expect(create({ accent: nearest, accentText: text })).not.toThrow()
  })

  test('the default colours equal the colours of the stylesheet', () => {
    const [, light = '', dark = ''] = stylesheet.split(':root {')
    for (const [scheme, text] of [
      ['light', light],
      ['dark', dark],
    ] as const) {
      const { accent, background, card, mutedText } = defaults[scheme]
      expect(text).toContain(`--ground: ${background}; --card: ${card};`)
      expect(text).toContain(`--quiet: ${mutedText};`)
      expect(text).toContain(`--accent: ${accent};`)
    }
  })
})
