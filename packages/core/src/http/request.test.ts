import { expect, test } from 'vitest'
import { mediaType, type ServerRequest } from './request.ts'

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
  body: new Uint8Array(),
})
