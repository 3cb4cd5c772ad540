import { expect, test } from 'vitest'

import {
  decodeBody,
  mediaType,
  onceForReady,
  readyResponse,
  withHeaders,
  type Header,
  type ServerRequest,
  type ServerResponse,
} from './message.ts'

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
])('rejects %s (RFC 6749 Appendix B)', (_, bytes) => {
  expect(decodeBody(Uint8Array.from(bytes))).toBeUndefined()
})

test.each([
  ['application/json', 'application/json'],
  ['Application/X-WWW-Form-URLencoded; charset=UTF-8', 'application/x-www-form-urlencoded'],
  ['application/json ;charset=utf-8', 'application/json'],
  [undefined, undefined],
  ['application/json, application/x-www-form-urlencoded', undefined],
])('the media type of %j is %j (RFC 9110 §8.3.1)', (contentType, expected) => {
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

test('a ready response is immutable', () => {
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
