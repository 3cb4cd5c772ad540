import { expect, test } from 'vitest'

import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { getMember, parseJsonObject, parseJsonObjectInPieces, toObject, withMember } from './json.ts'

test('treats __proto__ as an ordinary member', () => {
  const object = toObject([['__proto__', { polluted: true }]])

  expect(Object.keys(object)).toEqual(['__proto__'])
  expect(JSON.stringify(withMember(object, 'a', 1))).toBe('{"__proto__":{"polluted":true},"a":1}')
  expect(getMember(object, 'polluted')).toBeUndefined()
})

test.each(['toString', 'constructor', 'polluted'])('creates an object without the member %s', (name) => {
  toObject([['__proto__', { polluted: true }]])

  expect(name in toObject([])).toBe(false)
})

test('gives all objects a frozen prototype without members', () => {
  const inherited = Object.getPrototypeOf(toObject([])) as object

  expect(() => Object.assign(inherited, { polluted: true })).toThrow(TypeError)
  expect(Object.getPrototypeOf(inherited)).toBeNull()
})

test('keeps the last of two members with the same name, and removes a member for undefined', () => {
  const object = toObject([
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['b', undefined],
  ])

  expect({ ...object }).toEqual({ a: 3 })
})

test('accepts a body that the host has parsed of eleven levels, and no deeper one (RFC 7643 §2.3.8)', () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

  expect(parseJsonObject(nested(11))).toHaveProperty('a')
  expect(summarizeRefusal(() => parseJsonObject(nested(12)))).toBe('400 invalidSyntax body_too_deep')
})

test('yields after every thousand values of a body, and after a container with more', () => {
  const objects = { a: Array.from({ length: 5000 }, (_, index) => ({ [`a${index}`]: 0 })) }

  // Once after the list, and then after each 500 objects with their members.
  expect([...parseJsonObjectInPieces(objects)]).toHaveLength(11)
})
