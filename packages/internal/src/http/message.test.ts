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
  ['a byte order mark, which stays', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
])('RFC 6749 Appendix B: reads a body of UTF-8: %s', (_, bytes, expected) => {
  expect(decodeBody(Uint8Array.from(bytes))).toBe(expected)
})

test.each([
  ['ATK-020: a byte that no UTF-8 has', [0x61, 0xff]],
  ['ATK-020: a sequence that is cut off', [0xe2, 0x82]],
  ['ATK-023: a surrogate', [0xed, 0xa0, 0x80]],
  ['ATK-005: UTF-16 text with its mark', [0xff, 0xfe, 0x61, 0x00]],
])('RFC 6749 Appendix B: refuses %s', (_, bytes) => {
  expect(decodeBody(Uint8Array.from(bytes))).toBeUndefined()
})

test.each([
  ['application/json', 'application/json'],
  ['Application/X-WWW-Form-URLencoded; charset=UTF-8', 'application/x-www-form-urlencoded'],
  ['application/json ;charset=utf-8', 'application/json'],
  [undefined, undefined],
  ['application/json, application/x-www-form-urlencoded', undefined],
])('RFC 9110 §8.3.1: the media type of %j is %j (ATK-002)', (contentType, expected) => {
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

test('a ready response can be changed by nobody who gets it', () => {
  const headers: Header[] = [['ETag', '"1"']]
  const ready = readyResponse({ status: 200, headers, body: 'a' })

  headers.push(['Set-Cookie', 'a=1'])

  expect(ready.headers).toEqual([['ETag', '"1"']])
  expect(() => Object.assign(ready, { body: 'b' })).toThrow(TypeError)
  expect(() => Object.assign(ready.headers, { 0: ['ETag', '"2"'] })).toThrow(TypeError)
})

test('what is made of a ready response is made once, and is ready too', () => {
  const marked = onceForReady((response) => withHeaders(response, [['X-Mark', 'yes']]))
  const ready = readyResponse({ status: 200, headers: [], body: 'a' })

  expect(marked(ready)).toEqual({ status: 200, headers: [['X-Mark', 'yes']], body: 'a' })
  expect(marked(ready)).toBe(marked(ready))
  expect(marked(marked(ready))).toBe(marked(marked(ready)))
})

test('of any other response nothing is kept', () => {
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
