import { runAtOnce } from '@mintmark/internal'
import { expect, test } from 'vitest'

import { countFunctionCalls } from '../../test/fixtures/function-calls.ts'
import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { getMember, parseJson, parseJsonObject, toObject, withMember } from './json.ts'

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

const members = (count: number, name = (index: number) => `k${index}`) =>
  `{${Array.from({ length: count }, (_, index) => `"${name(index)}":1`).join(',')}}`

/** A list that counts as so many values before it is parsed: itself, and one for each comma. */
const zeros = (values: number) => `[${Array(values).fill(0).join(',')}]`

test.each([
  ['500,000 values', zeros(500_000)],
  ['an object', '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}'],
  ['a list of many objects', `[${Array(5000).fill('{"value":"u1"}').join(',')}]`],
  ['texts with brackets and quotation marks', '{"a{[":"]}\\"","b":"\\\\"}'],
  ['as many members as any object has', members(1000)],
])('reads %s', (_, text) => {
  expect(runAtOnce(parseJson(text))).toEqual(JSON.parse(text))
})

test.each([
  ['a member twice', '{"a":1,"a":2}', '400 invalidSyntax member_repeated'],
  ['a member twice, escaped', '{"a":1,"\\u0061":2}', '400 invalidSyntax member_repeated'],
  ['a member twice, behind an object', '{"a":{"b":1},"a":2}', '400 invalidSyntax member_repeated'],
  ['__proto__ twice', '{"__proto__":1,"__proto__":2}', '400 invalidSyntax member_repeated'],
  ['names that are in nothing', '"a":1', '400 invalidSyntax body_malformed'],
  ['names in a list', '["a":1]', '400 invalidSyntax body_malformed'],
  ['more that closes than opens', '{}}]', '400 invalidSyntax body_malformed'],
  ['33 levels', '['.repeat(33), '400 invalidSyntax body_too_deep'],
  ['500,001 values', zeros(500_001), '413 - body_too_large'],
  ['a member too many', members(1001), '413 - body_too_large'],
  ['a member too many, deeper down', `{"a":[${members(1001)}]}`, '413 - body_too_large'],
])('refuses %s (RFC 8259 §4, RFC 7644 §3.12)', (_, text, expected) => {
  expect(summarizeRefusal(() => runAtOnce(parseJson(text)))).toBe(expected)
})

test.each([
  ['80,000 members', members(80_000)],
  ['members like integers, whose hashes collide', members(80_000, (index) => String(index * 65_536))],
])('refuses %s before parsing them', (_, text) => {
  expect(countFunctionCalls(() => summarizeRefusal(() => runAtOnce(parseJson(text))))).toBeLessThan(6000)
})

test('accepts a body of 500,000 values that the host has parsed, and no larger one (RFC 9110 §15.5.14)', () => {
  const body = (values: number) => ({ a: Array(values - 1).fill(0) })

  expect(parseJsonObject(body(500_000))).toHaveProperty('a')
  expect(summarizeRefusal(() => parseJsonObject(body(500_001)))).toBe('413 - body_too_large')
})

test('accepts a body that the host has parsed of eleven levels, and no deeper one (RFC 7643 §2.3.8)', () => {
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

  expect(parseJsonObject(nested(11))).toHaveProperty('a')
  expect(summarizeRefusal(() => parseJsonObject(nested(12)))).toBe('400 invalidSyntax body_too_deep')
})
