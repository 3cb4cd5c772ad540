import { expect, test } from 'vitest'

import { getMember, toObject, withMember } from './json.ts'

test('a member named __proto__ is a member like any other', () => {
  const object = toObject([['__proto__', { polluted: true }]])

  expect(Object.keys(object)).toEqual(['__proto__'])
  expect(JSON.stringify(withMember(object, 'a', 1))).toBe('{"__proto__":{"polluted":true},"a":1}')
  expect(getMember(object, 'polluted')).toBeUndefined()
})

test.each(['toString', 'constructor', 'polluted'])('%s is not there unless it was given', (name) => {
  toObject([['__proto__', { polluted: true }]])

  expect(name in toObject([])).toBe(false)
})

test('what an object inherits from takes no member: objects do not meet', () => {
  const inherited = Object.getPrototypeOf(toObject([])) as object

  expect(() => Object.assign(inherited, { polluted: true })).toThrow(TypeError)
  expect(Object.getPrototypeOf(inherited)).toBeNull()
})

test('of two members of one name the last wins, and undefined takes a member away', () => {
  const object = toObject([
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['b', undefined],
  ])

  expect({ ...object }).toEqual({ a: 3 })
})
