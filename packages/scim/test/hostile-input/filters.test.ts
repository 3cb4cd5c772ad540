import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { userResourceType } from '../../src/index.ts'
import { printFilter } from '../../src/filter/filter-node.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { createToleranceCounter, generalTolerances, strictTolerances } from '../../src/tolerance/tolerances.ts'
import { parseProjection, projectResource, splitAttributeNames } from '../../src/resource/resource.ts'
import { renderScimError } from '../../src/error/scim-error.ts'
import { finder } from '../fixtures/finder.ts'
import { countFunctionCalls, countFunctionCallsOfEach } from '../fixtures/function-calls.ts'
import { outcomeOf } from '../fixtures/outcome-of.ts'
import { expectPrototypesUntouched } from '../fixtures/prototypes-untouched.ts'
import { refusalOf, summarizeRefusal } from '../fixtures/refused.ts'

// Hostile filters, which the strict and the general profile must handle alike, and hostile projections.
const modes = [
  ['strict', strictTolerances],
  ['general', generalTolerances],
] as const

const users: readonly JsonObject[] = [
  { id: 'usr_1', userName: 'alice@x', externalId: 'ab', active: true, emails: [{ value: 'alice@x', type: 'work' }] },
  { id: 'usr_2', userName: 'a_b%c*\\', externalId: '2', active: false },
  { id: 'usr_3', userName: 'a'.repeat(1000), password: 'secret' },
]

function search(text: string, tolerances = strictTolerances): readonly unknown[] {
  const counter = createToleranceCounter(tolerances)
  const matches = finder(text, userResourceType, counter)
  return users.filter(matches).map(({ id }) => id)
}

const refusedRows: readonly (readonly [what: string, filter: string])[] = [
  ['an empty filter', ''],
  ['a semicolon in a name', 'users;drop eq "x"'],
  ['a space in a name', 'user name eq "x"'],
  ['a name that starts with a digit', '1abc eq 1'],
  ['password with eq', 'password eq "x"'],
  ['password with pr', 'password pr'],
  ['password with ne', 'PASSWORD ne "x"'],
  ['password by URN', 'urn:ietf:params:scim:schemas:core:2.0:User:password sw "a"'],
  ['the attribute __proto__', '__proto__ eq "x"'],
  ['the attribute constructor', 'constructor eq "x"'],
  ['the attribute constructor.name', 'constructor.name eq "Object"'],
  ['the attribute meta.__proto__', 'meta.__proto__ pr'],
  ['the attribute constructor by URN', 'urn:ietf:params:scim:schemas:core:2.0:User:constructor pr'],
  ['constructor in a value path', 'emails[constructor pr]'],
  ['the attribute toString', 'toString pr'],
  ['active with gt', 'active gt true'],
  ['active with co', 'active co "t"'],
  ['a comparison of userName with a number', 'userName eq 5'],
  ['a comparison of userName with true', 'userName eq true'],
  ['a comparison of userName with an object', 'userName eq {}'],
  ['21 levels of not', `${'not('.repeat(21)}userName pr${')'.repeat(21)}`],
  ['21 levels of parentheses', `${'('.repeat(21)}userName pr${')'.repeat(21)}`],
  ['100,000 opening parentheses', '('.repeat(100_000)],
  ['100,000 nots', 'not('.repeat(100_000)],
  ['a filter of 16 KiB and one character', `userName eq "x"${' '.repeat(16_370)}`],
  ['nested brackets', 'emails[a[b eq 1]]'],
  ['nested brackets of a known attribute', 'emails[emails[type eq "work"]]'],
  ['an escaped NUL', 'userName eq "\\u0000"'],
  ['an escaped half of a surrogate pair', 'userName eq "\\ud800"'],
  ['an escape that JSON does not define', 'userName eq "\\q"'],
  ['a line break in a string', 'userName eq "a\nb"'],
  ['a value of 1 KiB and one character', `userName eq "${'x'.repeat(1025)}"`],
]

for (const [mode, tolerances] of modes) {
  test.each(refusedRows)(`refuses %s (RFC 7644 §3.4.2.2, ${mode})`, (_, filter) => {
    expectPrototypesUntouched(() => {
      expect(summarizeRefusal(() => search(filter, tolerances))).toMatch(/^400 invalidFilter filter_/)
    })
    expect(JSON.stringify(renderScimError(refusalOf(() => search(filter, tolerances)))).length).toBeLessThan(500)
  })

  test(`refuses each of these filters after a bounded number of function calls (${mode})`, () => {
    const counts = countFunctionCallsOfEach(
      refusedRows.map(
        ([, filter]) =>
          () =>
            outcomeOf(() => search(filter, tolerances)),
      ),
    )

    expect(refusedRows.filter((_, index) => (counts[index] ?? Infinity) >= 1000)).toEqual([])
  })
}

test.each<[string, readonly string[]]>([
  [`userName eq "x' OR '1'='1"`, []],
  ['userName eq "\\"; DROP TABLE users;--"', []],
  [`userName eq "\\\\'"`, []],
  ['userName co "%"', ['usr_2']],
  ['userName co "_"', ['usr_2']],
  ['userName sw "*"', []],
  ['userName co "\\\\"', ['usr_2']],
  ['userName eq "(a+)+$"', []],
  ['userName eq null', []],
  ['externalId eq "AB"', []],
  ['externalId eq "ab"', ['usr_1']],
  ['id eq "usr_1"', ['usr_1']],
  ['emails[type eq "work" and value co "@"]', ['usr_1']],
  [`${'('.repeat(20)}id eq "usr_1"${')'.repeat(20)}`, ['usr_1']],
])('evaluates %s literally (RFC 7644 §3.4.2.2)', (filter, found) => {
  expect(search(filter)).toEqual(found)
  expect(printFilter(parseFilter(printFilter(parseFilter(filter))))).toBe(printFilter(parseFilter(filter)))
})

const shown = (attributes: string) =>
  projectResource(
    { schemas: [], id: 'usr_3', password: 'secret', userName: 'k' },
    parseProjection({ attributes: splitAttributeNames(attributes) }, userResourceType),
  )

test('never shows a password, however it is requested (RFC 7643 §7)', () => {
  for (const name of [
    'password',
    'PASSWORD',
    'urn:ietf:params:scim:schemas:core:2.0:User:password',
    'urn:ietf:params:scim:schemas:core:2.0:User',
    'password[value pr]',
  ]) {
    expect(shown(name)).not.toHaveProperty('password')
  }
})

test('ignores members of prototypes in the parameter attributes', () => {
  expectPrototypesUntouched(() => {
    expect(JSON.stringify(shown('__proto__,constructor,name.__proto__,toString'))).toBe('{"schemas":[],"id":"usr_3"}')
  })
})

test('refuses 10,000 names in the parameter attributes', () => {
  expect(summarizeRefusal(() => shown('a,'.repeat(10_000)))).toBe('400 invalidSyntax projection_too_many')
  expect(countFunctionCalls(() => outcomeOf(() => shown('a,'.repeat(1_000_000))))).toBeLessThan(1500)
})
