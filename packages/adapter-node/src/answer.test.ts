import { expect, test } from 'vitest'
import { createBodyLength } from './answer.ts'

test.each([
  ['text', 'é!', 3],
  ['bytes', Uint8Array.of(1, 2), 2],
  ['no body', undefined, undefined],
  ['an empty body', '', 0],
])('RFC 9110 §8.6: the length of %s is its number of bytes, however often it is asked', (_, body, length) => {
  const lengthOf = createBodyLength()
  const response = { status: 200, headers: [], body }
  const frozen = Object.freeze({ ...response })

  expect([lengthOf(response), lengthOf(response), lengthOf(frozen), lengthOf(frozen)]).toEqual([
    length,
    length,
    length,
    length,
  ])
})

test('RFC 9110 §8.6: a response that can change is counted each time', () => {
  const lengthOf = createBodyLength()
  const response = { status: 200, headers: [], body: 'a' }

  const before = lengthOf(response)
  response.body = 'ab'

  expect([before, lengthOf(response)]).toEqual([1, 2])
})
