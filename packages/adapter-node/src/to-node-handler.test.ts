import { expect, test } from 'vitest'
import { createBodyLength } from './to-node-handler.ts'

test.each([
  ['text', 200, 'é!', 3],
  ['bytes', 200, Uint8Array.of(1, 2), 2],
  ['no body', 303, undefined, 0],
  ['no body, with a status that never has one,', 204, undefined, undefined],
  ['no body, with the status of an unchanged resource,', 304, undefined, undefined],
  ['an empty body', 200, '', 0],
])('returns the length of %s in bytes, on every call (RFC 9110 §8.6)', (_, status, body, length) => {
  const lengthOf = createBodyLength()
  const response = { status, headers: [], body }
  const frozen = Object.freeze({ ...response })

  expect([lengthOf(response), lengthOf(response), lengthOf(frozen), lengthOf(frozen)]).toEqual([
    length,
    length,
    length,
    length,
  ])
})

test('computes the length of a mutable response on each call (RFC 9110 §8.6)', () => {
  const lengthOf = createBodyLength()
  const response = { status: 200, headers: [], body: 'a' }

  const before = lengthOf(response)
  response.body = 'ab'

  expect([before, lengthOf(response)]).toEqual([1, 2])
})
