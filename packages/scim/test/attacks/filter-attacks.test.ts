import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { userResourceType } from '../../src/index.ts'
import { printFilter } from '../../src/filter/filter-node.ts'
import { parseFilter } from '../../src/filter/parse-filter.ts'
import { generalTolerances, strictTolerances } from '../../src/tolerance/tolerances.ts'
import { parseProjection, projectResource, splitAttributeNames } from '../../src/resource/project-resource.ts'
import { renderScimError } from '../../src/error/render-scim-error.ts'
import { createToleranceCounter } from '../../src/tolerance/tolerance-counter.ts'
import { finder } from '../finder.ts'
import { functionCalls } from '../function-calls.ts'
import { outcomeOf } from '../outcome-of.ts'
import { prototypesUntouched } from '../prototypes-untouched.ts'
import { refused, refusedWith } from '../refused.ts'

// Rows of the attack catalogue for reading and filtering, as far as the engines answer them. Each is tried in strict mode
// and with what is tolerated of an identity provider that is not known.
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

const refusedRows: readonly (readonly [id: string, what: string, filter: string])[] = [
  ['ATK-421', 'empty', ''],
  ['ATK-428', 'a semicolon', 'users;drop eq "x"'],
  ['ATK-428', 'a space in a name', 'user name eq "x"'],
  ['ATK-428', 'a digit first', '1abc eq 1'],
  ['ATK-430', 'password eq', 'password eq "x"'],
  ['ATK-430', 'password pr', 'password pr'],
  ['ATK-430', 'password ne', 'PASSWORD ne "x"'],
  ['ATK-430', 'password by URN', 'urn:ietf:params:scim:schemas:core:2.0:User:password sw "a"'],
  ['ATK-431', '__proto__', '__proto__ eq "x"'],
  ['ATK-431', 'constructor', 'constructor eq "x"'],
  ['ATK-431', 'constructor.name', 'constructor.name eq "Object"'],
  ['ATK-431', 'meta.__proto__', 'meta.__proto__ pr'],
  ['ATK-431', 'a prototype by URN', 'urn:ietf:params:scim:schemas:core:2.0:User:constructor pr'],
  ['ATK-431', 'in a value path', 'emails[constructor pr]'],
  ['ATK-431', 'toString', 'toString pr'],
  ['ATK-433', 'active gt', 'active gt true'],
  ['ATK-433', 'active co', 'active co "t"'],
  ['ATK-434', 'a number', 'userName eq 5'],
  ['ATK-434', 'true', 'userName eq true'],
  ['ATK-434', 'an object', 'userName eq {}'],
  ['ATK-439', '21 levels of not', `${'not('.repeat(21)}userName pr${')'.repeat(21)}`],
  ['ATK-439', '21 levels of parentheses', `${'('.repeat(21)}userName pr${')'.repeat(21)}`],
  ['ATK-440', '100,000 opening parentheses', '('.repeat(100_000)],
  ['ATK-440', '100,000 nots', 'not('.repeat(100_000)],
  ['ATK-442', '4 KiB and one', `userName eq "x"${' '.repeat(4082)}`],
  ['ATK-443', 'brackets in brackets', 'emails[a[b eq 1]]'],
  ['ATK-443', 'known brackets in brackets', 'emails[emails[type eq "work"]]'],
  ['ATK-445', 'NUL', 'userName eq "\\u0000"'],
  ['ATK-445', 'half a surrogate pair', 'userName eq "\\ud800"'],
  ['ATK-445', 'an escape that JSON has not', 'userName eq "\\q"'],
  ['ATK-445', 'a line break', 'userName eq "a\nb"'],
  ['ATK-446', 'a value of 1 KiB and one', `userName eq "${'x'.repeat(1025)}"`],
]

for (const [mode, tolerances] of modes) {
  test.each(refusedRows)(`%s (RFC 7644 §3.4.2.2, ${mode}): 400 invalidFilter for %s`, (_, __, filter) => {
    prototypesUntouched(() => {
      expect(refusedWith(() => search(filter, tolerances))).toMatch(/^400 invalidFilter filter_/)
    })
    expect(JSON.stringify(renderScimError(refused(() => search(filter, tolerances)))).length).toBeLessThan(500)
    expect(functionCalls(() => outcomeOf(() => search(filter, tolerances)))).toBeLessThan(1000)
  })
}

test.each<[string, string, readonly string[]]>([
  ['ATK-424', `userName eq "x' OR '1'='1"`, []],
  ['ATK-424', 'userName eq "\\"; DROP TABLE users;--"', []],
  ['ATK-424', `userName eq "\\\\'"`, []],
  ['ATK-425', 'userName co "%"', ['usr_2']],
  ['ATK-425', 'userName co "_"', ['usr_2']],
  ['ATK-425', 'userName sw "*"', []],
  ['ATK-425', 'userName co "\\\\"', ['usr_2']],
  ['ATK-427', 'userName eq "(a+)+$"', []],
  ['ATK-434', 'userName eq null', []],
  ['ATK-436', 'externalId eq "AB"', []],
  ['ATK-436', 'externalId eq "ab"', ['usr_1']],
  ['ATK-437', 'id eq "usr_1"', ['usr_1']],
  ['ATK-443', 'emails[type eq "work" and value co "@"]', ['usr_1']],
  ['ATK-439', `${'('.repeat(20)}id eq "usr_1"${')'.repeat(20)}`, ['usr_1']],
])('%s (RFC 7644 §3.4.2.2): %s is compared as it stands', (_, filter, found) => {
  expect(search(filter)).toEqual(found)
  expect(printFilter(parseFilter(printFilter(parseFilter(filter))))).toBe(printFilter(parseFilter(filter)))
})

const shown = (attributes: string) =>
  projectResource(
    { schemas: [], id: 'usr_3', password: 'secret', userName: 'k' },
    parseProjection({ attributes: splitAttributeNames(attributes) }, userResourceType),
  )

test('ATK-406 (RFC 7643 §7): a password is not shown, however it is asked for', () => {
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

test('ATK-407: names of prototypes are ignored', () => {
  prototypesUntouched(() => {
    expect(JSON.stringify(shown('__proto__,constructor,name.__proto__,toString'))).toBe('{"schemas":[],"id":"usr_3"}')
  })
})

test('ATK-409: 10,000 names are refused', () => {
  expect(refusedWith(() => shown('a,'.repeat(10_000)))).toBe('400 invalidSyntax projection_too_many')
  expect(functionCalls(() => outcomeOf(() => shown('a,'.repeat(1_000_000))))).toBeLessThan(1500)
})
