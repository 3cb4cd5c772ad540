import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHtml } from '../test/html-reader.ts'
import { attribute, html, toMarkup } from './html.ts'

describe('html', () => {
  test('law: a parser reads back exactly the inserted text, and nothing else changes', () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (inText, inAttribute, inTag) => {
        const markup = toMarkup(
          html`<p title="a ${inAttribute} b" ${attribute('lang', inTag)}>${inText}</p>
<i>${[inText, html`<b>${inText}</b>`]}</i>`,
        )

        const tokens = readHtml(markup)

        const read = asParsed(inText)
        expect(tokens).toEqual([
          { kind: 'tag', name: 'p', attributes: { title: `a ${asParsed(inAttribute)} b`, lang: asParsed(inTag) } },
          ...textToken(read),
          { kind: 'tag', name: '/p', attributes: {} },
          { kind: 'text', text: '\n' },
          { kind: 'tag', name: 'i', attributes: {} },
          ...textToken(read),
          { kind: 'tag', name: 'b', attributes: {} },
          ...textToken(read),
          { kind: 'tag', name: '/b', attributes: {} },
          { kind: 'tag', name: '/i', attributes: {} },
        ])
      }),
      { numRuns: 1000 },
    )
  })

  test('renders undefined as nothing, numbers as digits, arrays joined and fragments unchanged', () => {
    const rows = ['a', 'b'].map((name) => html`<li>${name}</li>`)

    expect(toMarkup(html`<ul>${rows}${undefined}${3}</ul>`)).toBe('<ul><li>a</li><li>b</li>3</ul>')
    expect(toMarkup(html`<i title="${undefined}" ${attribute('lang', undefined)}></i>`)).toBe('<i title="" ></i>')
    expect(toMarkup(html`<i ${attribute('hidden', true)}></i>`)).toBe('<i hidden=""></i>')
  })

  test('never mistakes parsed JSON for a fragment', () => {
    const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}') as never

    expect(() => html`<p>${forged}</p>`).toThrow(TypeError)
  })

  test.each([
    ['an unquoted attribute', () => html`<p title=${'x'}></p>`],
    ['a single-quoted attribute', () => html`<p title='${'x'}'></p>`],
    ['an attribute name', () => html`<p ${'onclick'}="x"></p>`],
    ['the rest of an attribute name', () => html`<p on${attribute('lang', 'x')}></p>`],
    ['the rest of a tag name', () => html`<p${attribute('lang', 'x')}></p>`],
    ['a tag name', () => html`<${'script'}></p>`],
    ['an event handler', () => html`<p onclick="${'x'}"></p>`],
    ['an inline style', () => html`<p style="${'x'}"></p>`],
    ['an address', () => html`<a href="${'javascript:x'}"></a>`],
    ['a script', () => html`<script>${'x'}</script>`],
    ['a style element', () => html`<style>${'x'}</style>`],
    ['a comment', () => html`<!-- ${'x'} -->`],
    ['a tag that the template does not close', () => html`<p title="${'x'}"`],
    ['a fragment in an attribute', () => html`<p title="${html`<b></b>`}"></p>`],
    ['an array in an attribute', () => html`<p title="${['x']}"></p>`],
    ['an attribute in text', () => html`<p>${attribute('lang', 'x')}</p>`],
    ['an event handler by attribute()', () => attribute('onclick', 'x')],
    ['an attribute whose name is not one', () => attribute('lang onclick', 'x')],
  ])('rejects a placeholder where escaping is not sufficient: %s', (_, render) => {
    expect(render).toThrow(TypeError)
  })
})

/** Text with many characters that can end a context: quotes, brackets, escapes, controls, halves of surrogate pairs. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...Array.from('<>"\'&=/!-`\0\r\n#;a '), '\uD800') }),
  fc.string({ unit: fc.constantFrom('</p>', '<script>', '&quot;', '&#39', '&lt', '" onload="x', "' x='", '-->') }),
)

/** Replaces characters that HTML cannot represent with the replacement character, as the parser does. */
const asParsed = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '\uFFFD')

const textToken = (text: string) => (text === '' ? [] : [{ kind: 'text', text }])
