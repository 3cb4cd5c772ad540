import { expect, test, describe } from 'vitest'
import {
  decodeBody,
  mediaType,
  onceForReady,
  readyResponse,
  withHeaders,
  type Header,
  type ServerRequest,
  type ServerResponse,
  decodeComponent,
  parseParameters,
} from './message.ts'
import fc from 'fast-check'

test.each([
  ['text', [0x61, 0x3d, 0xc3, 0xa9], 'a=é'],
  ['nothing', [], ''],
  ['a byte order mark, which is kept', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
])('decodes a UTF-8 body: %s (RFC 6749 Appendix B)', (_, bytes, expected) => {
  expect(decodeBody(Uint8Array.from(bytes))).toBe(expected)
})

test.each([
  ['a byte that never occurs in UTF-8', [0x61, 0xff]],
  ['a truncated sequence', [0xe2, 0x82]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['UTF-16 text with a byte order mark', [0xff, 0xfe, 0x61, 0x00]],
])('does not decode a body that contains %s (RFC 6749 Appendix B)', (_, bytes) => {
  expect(decodeBody(Uint8Array.from(bytes))).toBeUndefined()
})

test.each([
  ['application/json', 'application/json'],
  ['Application/X-WWW-Form-URLencoded; charset=UTF-8', 'application/x-www-form-urlencoded'],
  ['application/json ;charset=utf-8', 'application/json'],
  [undefined, undefined],
  ['application/json, application/x-www-form-urlencoded', undefined],
])('reads the media type of %j as %j (RFC 9110 §8.3.1)', (contentType, expected) => {
  expect(mediaType(aRequest(contentType))).toBe(expected)
})

const aRequest = (contentType: string | undefined): ServerRequest => ({
  method: 'POST',
  url: new URL('https://as.test/token'),
  headers: new Map(contentType === undefined ? [] : [['content-type', contentType]]),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})

test('makes a ready response immutable', () => {
  const headers: Header[] = [['ETag', '"1"']]
  const ready = readyResponse({ status: 200, headers, body: 'a' })

  headers.push(['Set-Cookie', 'a=1'])

  expect(ready.headers).toEqual([['ETag', '"1"']])
  expect(() => Object.assign(ready, { body: 'b' })).toThrow(TypeError)
  expect(() => Object.assign(ready.headers, { 0: ['ETag', '"2"'] })).toThrow(TypeError)
})

test('transforms a ready response once, into another ready response', () => {
  const marked = onceForReady((response) => withHeaders(response, [['X-Mark', 'yes']]))
  const ready = readyResponse({ status: 200, headers: [], body: 'a' })

  expect(marked(ready)).toEqual({ status: 200, headers: [['X-Mark', 'yes']], body: 'a' })
  expect(marked(ready)).toBe(marked(ready))
  expect(marked(marked(ready))).toBe(marked(marked(ready)))
})

test('does not cache the transformation of any other response', () => {
  const marked = onceForReady((response) => withHeaders(response, [['X-Mark', 'yes']]))
  const response: { -readonly [Member in keyof ServerResponse]: ServerResponse[Member] } = {
    status: 200,
    headers: [],
    body: 'a',
  }

  const first = marked(response)
  response.body = 'b'

  expect([first.body, marked(response).body]).toEqual(['a', 'b'])
})

describe('parseParameters', () => {
  test.each([
    ['nothing', '', []],
    [
      'names in their order',
      'b=1&a=2',
      [
        ['b', '1'],
        ['a', '2'],
      ],
    ],
    ['a plus sign as a space, and an escaped plus sign as a plus sign', 'scope=a+b%2Bc', [['scope', 'a b+c']]],
    [
      'UTF-8, escaped and literal',
      'n%C3%A9=%F0%9F%98%80&é=1',
      [
        ['né', '😀'],
        ['é', '1'],
      ],
    ],
    ['a value with equals signs', 'code=a=b==', [['code', 'a=b==']]],
    [
      'a name without a value',
      'code&x=',
      [
        ['code', ''],
        ['x', ''],
      ],
    ],
    ['a value without a name', '=x', [['', 'x']]],
    [
      'empty pairs',
      '&a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'the names of object internals',
      '__proto__=x&constructor=y',
      [
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ],
    ],
    [
      'brackets as part of the name',
      'a[]=1&a%5Bx%5D=2',
      [
        ['a[]', '1'],
        ['a[x]', '2'],
      ],
    ],
    [
      'repeated names',
      'code=a&code=b',
      [
        ['code', 'a'],
        ['code', 'b'],
      ],
    ],
    [
      'names that are equal once decoded',
      'code=a&c%6Fde=b',
      [
        ['code', 'a'],
        ['code', 'b'],
      ],
    ],
  ])('reads %s (RFC 6749 Appendix B)', (_, text, expected) => {
    expect(parseParameters(text, 64)).toEqual(expected)
  })

  test.each([
    ['a lone percent sign', 'code=%'],
    ['letters that are not hexadecimal', 'code=%zz'],
    ['half an escape', 'code=%4'],
    ['a broken escape in a name', '%=x'],
    ['bytes that never occur in UTF-8', 'code=%FF%FE'],
    ['an overlong slash', 'code=%C0%AF'],
    ['a truncated sequence', 'code=%E2%82'],
    ['a surrogate', 'code=%ED%A0%80'],
    ['an escape beyond the last code point', 'code=%F4%90%80%80'],
  ])('rejects %s (RFC 6749 Appendix B)', (_, text) => {
    expect(parseParameters(`grant_type=x&${text}`, 64)).toEqual({ malformed: 'encoding' })
  })

  test('rejects more than the maximum number of pairs, counting empty pairs', () => {
    expect(parseParameters(Array(64).fill('a=1').join('&'), 64)).toHaveLength(64)
    expect(parseParameters(Array(65).fill('a=1').join('&'), 64)).toEqual({ malformed: 'too_many' })
    expect(parseParameters('&'.repeat(64), 64)).toEqual({ malformed: 'too_many' })
  })

  test('law: pairs that URLSearchParams writes are read back unchanged', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), { maxLength: 6 })
    const written = pairs.filter((list) => list.every(([name, value]) => name !== '' || value !== ''))

    fc.assert(
      fc.property(written, (list) => {
        expect(parseParameters(new URLSearchParams(list).toString(), 64)).toEqual(list)
      }),
    )
  })

  test('law: parsing any string returns a list or a malformed result, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '%', '=', '&', '+', '0', 'F', 'é') }), (text) => {
        const parsed = parseParameters(text, 64)

        expect(
          'malformed' in parsed ? ['encoding', 'too_many'].includes(parsed.malformed) : Array.isArray(parsed),
        ).toBe(true)
      }),
    )
  })
})

describe('decodeComponent', () => {
  test.each([
    ['a+b', 'a b'],
    ['a%2Bb+c', 'a+b c'],
    ['%3A', ':'],
    ['%00', '\0'],
    ['%', undefined],
    ['%FF', undefined],
  ])('reads %j as %j (RFC 6749 Appendix B)', (text, expected) => {
    expect(decodeComponent(text)).toBe(expected)
  })
})
