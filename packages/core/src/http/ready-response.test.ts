import { expect, test } from 'vitest'
import { onceForReady, readyResponse } from './ready-response.ts'
import { withHeaders, type Header, type ServerResponse } from './response.ts'

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
