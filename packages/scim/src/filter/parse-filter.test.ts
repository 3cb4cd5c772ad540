import { expect, test } from 'vitest'
import { isDeeplyFrozen } from '../../test/fixtures/frozen.ts'
import { summarizeRefusal } from '../../test/fixtures/refused.ts'
import { allTolerances, createToleranceCounter } from '../tolerance/tolerances.ts'
import { type FilterNode, printFilter } from './filter-node.ts'
import { parseFilter } from './parse-filter.ts'

/** Prints a filter with every group in parentheses, to show the precedence of operators. */
function printGroups(node: FilterNode): string {
  if (node.kind === 'or' || node.kind === 'and') return `(${node.operands.map(printGroups).join(` ${node.kind} `)})`
  return node.kind === 'not' ? `not(${printGroups(node.operand)})` : printFilter(node)
}

test.each([
  ['userName eq "bjensen"'],
  ['name.familyName co "O\'Malley"'],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"'],
  ['title pr'],
  ['meta.lastModified gt "2011-05-13T04:42:34Z"'],
  ['title pr and userType eq "Employee"'],
  ['title pr or userType eq "Intern"'],
  ['schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"'],
  ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")'],
  ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")'],
  ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]'],
  ['emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]'],
  ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value eq "u9"'],
  ['manager.$ref eq "x"'],
  ['a eq -1.5e+3'],
  ['a eq 0'],
  ['a eq true or b eq false or c eq null'],
  ['a-b_c$1 pr'],
])('parses %s and prints it again (RFC 7644 §3.4.2.2)', (text) => {
  expect(printFilter(parseFilter(text))).toBe(text)
})

test.each([
  ['a pr or b pr and c pr', '(a pr or (b pr and c pr))'],
  ['a pr and b pr or c pr', '((a pr and b pr) or c pr)'],
  ['(a pr or b pr) and c pr', '((a pr or b pr) and c pr)'],
  ['not (a pr) and b pr', '(not(a pr) and b pr)'],
  ['not (a pr or b pr)', 'not((a pr or b pr))'],
  ['not(not(a pr))', 'not(not(a pr))'],
  ['((a pr))', 'a pr'],
  ['a pr and (b pr and c pr)', '(a pr and (b pr and c pr))'],
  ['NOT (a PR) OR b Eq 1', '(not(a pr) or b eq 1)'],
  ['  a   pr  and ( b pr ) ', '(a pr and b pr)'],
  ['not pr', 'not pr'],
])('gives `not` precedence over `and`, and `and` over `or`: %s (RFC 7644 §3.4.2.2)', (text, expected) => {
  expect(printGroups(parseFilter(text))).toBe(expected)
})

test.each([
  ['a eq "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"', '"\\/\b\f\n\r\té😀'],
  ['a eq "a and b) or ["', 'a and b) or ['],
  ['a eq ""', ''],
])('decodes the JSON escapes in a value: %s (RFC 8259 §7)', (text, value) => {
  expect(parseFilter(text)).toMatchObject({ kind: 'compare', value: { kind: 'text', value } })
})

test.each([
  ['', 'filter_empty'],
  ['   ', 'filter_empty'],
  ['userName', 'filter_syntax'],
  ['userName eq', 'filter_syntax'],
  ['eq "x"', 'filter_syntax'],
  ['userName xx "x"', 'filter_syntax'],
  ['userName eq "x" "y"', 'filter_syntax'],
  ['userName eq "x" userName eq "y"', 'filter_syntax'],
  ['userName eq "x" and', 'filter_syntax'],
  ['and userName eq "x"', 'filter_syntax'],
  ['userName eq"x"', 'filter_syntax'],
  ['userName eq "x"and title pr', 'filter_syntax'],
  ['title pr and(title pr)', 'filter_syntax'],
  ['not title pr', 'filter_syntax'],
  ['title (title pr)', 'filter_syntax'],
  ['not userName eq "x"', 'filter_syntax'],
  ['(title pr', 'filter_syntax'],
  ['title pr)', 'filter_syntax'],
  ['()', 'filter_syntax'],
  ['title[', 'filter_syntax'],
  ['emails[type eq "work"', 'filter_syntax'],
  ['emails[type eq "work")', 'filter_syntax'],
  ['emails[]', 'filter_syntax'],
  ['emails[type eq "work"].value', 'filter_syntax'],
  ['emails[type eq "work"].value eq "x"', 'filter_syntax'],
  ['a.b.c eq 1', 'filter_syntax'],
  ['a. eq 1', 'filter_syntax'],
  ['.a eq 1', 'filter_syntax'],
  ['urn:x y:a eq 1', 'filter_syntax'],
  ['a:b eq 1', 'filter_syntax'],
  ['a\teq\t1', 'filter_syntax'],
  ['a eq "x', 'filter_value_malformed'],
  ['a eq "x\\"', 'filter_value_malformed'],
  ["a eq 'x'", 'filter_value_malformed'],
  ['a eq x', 'filter_value_malformed'],
  ['a eq True', 'filter_value_malformed'],
  ['a eq 01', 'filter_value_malformed'],
  ['a eq .5', 'filter_value_malformed'],
  ['a eq 1e999', 'filter_value_malformed'],
  ['a eq [1]', 'filter_value_malformed'],
])('refuses %j (RFC 7644 §3.4.2.2)', (text, reason) => {
  expect(summarizeRefusal(() => parseFilter(text))).toBe(`400 invalidFilter ${reason}`)
})

const nested = (depth: number): string => `${'('.repeat(depth)}a pr${')'.repeat(depth)}`
const joined = (count: number): string => Array.from({ length: count }, () => 'a pr').join(' or ')

test.each([
  ['16384 characters', `a eq 1${' '.repeat(16_378)}`],
  ['20 levels', nested(20)],
  ['999 tests and one or', joined(999)],
  ['a value of 1024 characters', `a eq "${'x'.repeat(1024)}"`],
  ['a number of 1024 characters', `a eq 0.${'1'.repeat(1022)}`],
])('parses a filter at the limit of %s (RFC 7644 §3.12)', (_, text) => {
  expect(parseFilter(text)).toBeDefined()
})

test.each([
  ['16385 characters', `a eq 1${' '.repeat(16_379)}`, 'filter_too_long'],
  ['21 levels', nested(21), 'filter_too_deep'],
  ['21 levels of not', `${'not ('.repeat(21)}a pr${')'.repeat(21)}`, 'filter_too_deep'],
  ['1000 tests and one or', joined(1000), 'filter_too_large'],
  ['a number of 1025 digits', `a eq ${'1'.repeat(1025)}`, 'filter_value_too_long'],
  ['a number of 1025 characters', `a eq 0.${'1'.repeat(1023)}`, 'filter_value_too_long'],
  ['a value of 1025 characters', `a eq "${'x'.repeat(1025)}"`, 'filter_value_too_long'],
])('refuses a filter with %s (RFC 7644 §3.12)', (_, text, reason) => {
  expect(summarizeRefusal(() => parseFilter(text))).toBe(`400 invalidFilter ${reason}`)
})

test.each([
  ['externalId eq jdoe', 'unquoted-filter-value', { kind: 'compare', value: { kind: 'bare', text: 'jdoe' } }],
  ['userName eq joe@x.test', 'unquoted-filter-value', { kind: 'compare', value: { kind: 'bare', text: 'joe@x.test' } }],
  [
    'emails[type eq "work"].value eq "x"',
    'sub-attribute-after-value-filter',
    { kind: 'valuePath', test: { kind: 'compare', attribute: { name: 'value' } } },
  ],
  [
    'emails[type eq "work"].value pr',
    'sub-attribute-after-value-filter',
    { kind: 'valuePath', test: { kind: 'present' } },
  ],
])('parses %s with the tolerance %s, as Entra needs', (text, tolerance, expected) => {
  const tolerances = createToleranceCounter(allTolerances)

  const node = parseFilter(text, tolerances)

  expect(node).toMatchObject(expected)
  expect(printFilter(node)).toBe(text)
  expect(tolerances.applied()).toEqual([{ tolerance, count: 1 }])
})

test.each(['a eq {}', 'a eq x;y', "a eq 'x'", 'a eq $x', 'a eq %', 'a eq "', 'emails[type eq "work"].a.b eq 1'])(
  'refuses the filter %s even with all tolerances',
  (text) => {
    expect(summarizeRefusal(() => parseFilter(text, createToleranceCounter(allTolerances)))).toMatch(
      /^400 invalidFilter /,
    )
  },
)

test('freezes a parsed filter deeply', () => {
  const node = parseFilter('a pr and not (emails[b eq "c"])')

  expect(isDeeplyFrozen(node)).toBe(true)
})
