import { runAtOnce } from '@mintmark/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { countFunctionCalls } from '../../test/fixtures/function-calls.ts'
import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { parseJson } from './parse-json.ts'

const members = (count: number, name = (index: number) => `k${index}`) =>
  `{${Array.from({ length: count }, (_, index) => `"${name(index)}":1`).join(',')}}`

/** Returns the JSON of a list that counts as this many values: one for the list, and one for each comma. */
const zeros = (values: number) => `[${Array(values).fill(0).join(',')}]`

test.each([
  ['100,000 values', zeros(100_000)],
  ['an object', '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}'],
  ['a list of many objects', `[${Array(5000).fill('{"value":"u1"}').join(',')}]`],
  ['strings with brackets and quotation marks', '{"a{[":"]}\\"","b":"\\\\"}'],
  ['an object of 1,000 members', members(1000)],
])('reads %s', (_, text) => {
  expect(runAtOnce(parseJson(text))).toEqual(JSON.parse(text))
})

test.each([
  ['a repeated member', '{"a":1,"a":2}', '400 invalidSyntax member_repeated'],
  ['a repeated member that is escaped', '{"a":1,"\\u0061":2}', '400 invalidSyntax member_repeated'],
  ['a repeated member after an object', '{"a":{"b":1},"a":2}', '400 invalidSyntax member_repeated'],
  ['a repeated __proto__', '{"__proto__":1,"__proto__":2}', '400 invalidSyntax member_repeated'],
  ['a name outside an object', '"a":1', '400 invalidSyntax body_malformed'],
  ['a name in a list', '["a":1]', '400 invalidSyntax body_malformed'],
  ['a closing bracket too many', '{}}]', '400 invalidSyntax body_malformed'],
  ['33 levels', '['.repeat(33), '400 invalidSyntax body_too_deep'],
  ['100,001 values', zeros(100_001), '413 - body_too_large'],
  ['an object of 1,001 members', members(1001), '413 - body_too_large'],
  ['a nested object of 1,001 members', `{"a":[${members(1001)}]}`, '413 - body_too_large'],
])('refuses %s (RFC 8259 §4, RFC 7644 §3.12)', (_, text, expected) => {
  expect(summarizeRefusal(() => runAtOnce(parseJson(text)))).toBe(expected)
})

test.each([
  [1_048_576, 104_857],
  [4_194_304, 419_430],
])('a message of %d characters may have %d values (RFC 9110 §15.5.14)', (length, values) => {
  const read = (count: number) => runAtOnce(parseJson(zeros(count).padEnd(length)))

  expect(read(values)).toHaveLength(values)
  expect(summarizeRefusal(() => read(values + 1))).toBe('413 - body_too_large')
})

test.each([
  ['80,000 members', members(80_000)],
  ['members named by integers whose hashes collide', members(80_000, (index) => String(index * 65_536))],
])('refuses %s before parsing them', (_, text) => {
  expect(countFunctionCalls(() => summarizeRefusal(() => runAtOnce(parseJson(text))))).toBeLessThan(20_000)
})

/** The JSON of a value, with some characters replaced. */
const almostJson = fc
  .tuple(
    fc.json({ maxDepth: 5 }),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Array.from(' \t\n\r,:{}[]"\\u0019-+.eEtn\u0000\u001F\u00A0')))),
  )
  .map(([text, changes]) => {
    const characters = Array.from(text)
    for (const [at, character] of changes) characters[at % (characters.length + 1)] = character
    return characters.join('')
  })

function parseResult(parse: () => unknown): unknown {
  try {
    return { value: parse() }
  } catch {
    return 'malformed'
  }
}

const hasRepeatedMember = (text: string): boolean => {
  const names = text.match(/"(?:[^"\\]|\\.)*"(?=\s*:)/g) ?? []
  return new Set(names.map((name) => JSON.parse(name) as unknown)).size < names.length
}

test('law: reads and refuses the same strings as JSON.parse, except for repeated members (RFC 8259 §4)', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), almostJson), (text) => {
      const native = parseResult(() => JSON.parse(text) as unknown)
      // `JSON.parse` accepts repeated members; `parseJson` refuses them.
      fc.pre(native === 'malformed' || !hasRepeatedMember(text))
      expect(parseResult(() => runAtOnce(parseJson(text)))).toEqual(native)
    }),
  )
})

test.each([
  ['1e5'],
  ['-0'],
  ['1E400'],
  ['01'],
  ['1.'],
  ['.5'],
  ['+1'],
  ['-'],
  ['1e'],
  ['0x1'],
  ['NaN'],
  ['truefalse'],
  ['nul'],
  [''],
  [' '],
  ['[1,]'],
  ['[,1]'],
  ['{"a":1,}'],
  ['{,}'],
  ['{"a"}'],
  ['{a:1}'],
  ['"a'],
  ['"\\x"'],
  ['"\\u12"'],
  ['"\\ud800"'],
  ['"\t"'],
  ['\uFEFF1'],
  ['\u00A01'],
  ['\v1'],
  ['1 2'],
  ['"a\u2028"'],
  ['{"__proto__":1}'],
  ['{"2":0,"1":0}'],
  ['[1 2]'],
  ['{"a" 1}'],
  ['{"a":1 "b":2}'],
])('reads or refuses %j as JSON.parse does (RFC 8259)', (text) => {
  expect(parseResult(() => runAtOnce(parseJson(text)))).toEqual(parseResult(() => JSON.parse(text) as unknown))
})

test.each([
  ['objects with different names', (index: number) => `{"${index}a":0,"${index}b":0}`],
  [
    'objects with the same names in different orders',
    (index: number) => (index % 2 === 0 ? '{"a":0,"b":0}' : '{"b":0,"a":0}'),
  ],
  ['numbers', String],
])('yields after every thousand members and items: %s', (_, item) => {
  const text = `[${Array.from({ length: 10_000 }, (_each, index) => item(index)).join(',')}]`

  expect([...parseJson(text)].length).toBeGreaterThanOrEqual(10)
})
