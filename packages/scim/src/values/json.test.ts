import { expect, test } from 'vitest'

import { getMember, toObject, withMember } from './json.ts'

test('a member named __proto__ is an ordinary member', () => {
  const object = toObject([['__proto__', { polluted: true }]])

  expect(Object.keys(object)).toEqual(['__proto__'])
  expect(JSON.stringify(withMember(object, 'a', 1))).toBe('{"__proto__":{"polluted":true},"a":1}')
  expect(getMember(object, 'polluted')).toBeUndefined()
})

test.each(['toString', 'constructor', 'polluted'])('%s is absent unless it was given', (name) => {
  toObject([['__proto__', { polluted: true }]])

  expect(name in toObject([])).toBe(false)
})

test('objects do not share members through their prototype', () => {
  const inherited = Object.getPrototypeOf(toObject([])) as object

  expect(() => Object.assign(inherited, { polluted: true })).toThrow(TypeError)
  expect(Object.getPrototypeOf(inherited)).toBeNull()
})

test('the last of two members with the same name wins, and undefined removes a member', () => {
  const object = toObject([
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['b', undefined],
  ])

  expect({ ...object }).toEqual({ a: 3 })
})
