import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { userResourceType } from '../../src/index.ts'
import { createParseContext } from '../../src/schema/parse-context.ts'
import { generalTolerances, strictTolerances, type Tolerances } from '../../src/tolerance/tolerances.ts'
import { foldCase } from '../../src/values/text.ts'
import { parseResource } from '../../src/resource/parse-resource.ts'
import { countFunctionCallsOfEach } from '../fixtures/function-calls.ts'
import { outcomeOf } from '../fixtures/outcome-of.ts'
import { expectPrototypesUntouched } from '../fixtures/prototypes-untouched.ts'
import { summarizeRefusal } from '../fixtures/refused.ts'

// Hostile users, parsed without a server.

const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const create = (body: unknown, tolerances: Tolerances = generalTolerances) =>
  parseResource(body, createParseContext(userResourceType, tolerances)).resource
const user = (members: JsonObject): JsonObject => ({ schemas: [core], userName: 'alice@x', ...members })
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const refusedRows: readonly [string, unknown, string][] = [
  ['null as the body', null, '400 invalidSyntax body_malformed'],
  ['a list as the body', [], '400 invalidSyntax body_malformed'],
  ['a string as the body', 'x', '400 invalidSyntax body_malformed'],
  ['a number as the body', 1, '400 invalidSyntax body_malformed'],
  [
    'a body of depth 10,000',
    user({ x: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as JsonObject }),
    '400 invalidSyntax body_too_deep',
  ],
  [
    'a list of 1,000,000 values',
    user({ emails: Array.from({ length: 1_000_000 }, () => 1) }),
    '400 invalidValue value_too_many',
  ],
  ['half a surrogate pair in displayName', user({ displayName: '\ud800' }), '400 invalidValue value_characters'],
  ['NUL in userName', user({ userName: 'a\0' }), '400 invalidValue value_characters'],
  ['a user without userName', { schemas: [core] }, '400 invalidValue value_required'],
  ['an empty userName', user({ userName: '' }), '400 invalidValue value_required'],
  ['a blank userName', user({ userName: '   ' }), '400 invalidValue value_characters'],
  ['null as the userName', user({ userName: null }), '400 invalidValue value_required'],
  ['a userName of 1,025 characters', user({ userName: 'x'.repeat(1025) }), '400 invalidValue value_too_long'],
  ['a control character in userName', user({ userName: 'a\u0001b' }), '400 invalidValue value_characters'],
  ['a bidi override in userName', user({ userName: 'a\u202eb' }), '400 invalidValue value_characters'],
  ['a zero-width space in userName', user({ userName: 'a\u200bb' }), '400 invalidValue value_characters'],
  ['a ligature in userName', user({ userName: '\ufb01' }), '400 invalidValue value_characters'],
  ['emails as an object', user({ emails: { value: 'a' } }), '400 invalidValue value_type'],
  ['emails as a string', user({ emails: 'a' }), '400 invalidValue value_type'],
  [
    '101 e-mail addresses',
    user({ emails: Array.from({ length: 101 }, () => ({ value: 'a' })) }),
    '400 invalidValue value_too_many',
  ],
  [
    'two primary e-mail addresses',
    user({
      emails: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    }),
    '400 invalidValue value_primary_twice',
  ],
  ['a number as an e-mail address', user({ emails: [{ value: 5 }] }), '400 invalidValue value_type'],
  [
    'a mail header in an e-mail address',
    user({ emails: [{ value: 'a@b\r\nBcc: x' }] }),
    '400 invalidValue value_characters',
  ],
  ['an extension as a list', user({ [enterprise]: [] }), '400 invalidValue value_type'],
  ['an extension as a string', user({ [enterprise]: 'x' }), '400 invalidValue value_type'],
]

test.each(refusedRows)('refuses %s (RFC 7643 §2)', (_, body, expected) => {
  expect(summarizeRefusal(() => create(body))).toBe(expected)
})

test('refuses each of these bodies after a bounded number of function calls', () => {
  const counts = countFunctionCallsOfEach(
    refusedRows.map(
      ([, body]) =>
        () =>
          outcomeOf(() => create(body)),
    ),
  )

  expect(refusedRows.map(([name]) => name).filter((_, index) => (counts[index] ?? Infinity) >= 1000)).toEqual([])
})

test.each<[string, JsonObject, JsonObject]>([
  ['a URN that is listed twice, in different case', { schemas: [core, core.toUpperCase()] }, {}],
  [
    'meta, and ignores it',
    { meta: { created: '1970', resourceType: 'Admin', location: 'https://evil', version: 'x' } },
    {},
  ],
  ['the externalId -1', { externalId: '-1' }, { externalId: '-1' }],
  ['attributes of other systems, and ignores them', { isAdmin: true, email_verified: true }, {}],
  ['active as a string', { active: 'False' }, { active: false }],
  [
    'markup and formulas in strings',
    { displayName: '<script>', title: '=cmd()' },
    { displayName: '<script>', title: '=cmd()' },
  ],
  ['attribute names in another case', { USERNAME: 'k', Active: true }, { userName: 'k', active: true }],
])('accepts %s (RFC 7643 §3)', (_, members, expected) => {
  const body = 'USERNAME' in members ? { schemas: [core], ...members } : user(members)

  expect(plain(create(body))).toEqual({ schemas: [core], userName: 'alice@x', ...expected })
})

test('hostile names change no prototype and are not kept (RFC 7643 §2.1)', () => {
  const bodies = [
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '{"name":{"__proto__":{"isAdmin":true}}}',
    `{"${enterprise}":{"__proto__":{"isAdmin":true}}}`,
    '{"emails":[{"__proto__":{"isAdmin":true},"value":"a"}]}',
  ]
  for (const text of bodies) {
    const body = { ...user({}), ...(JSON.parse(text) as JsonObject) }
    Object.defineProperty(body, '__proto__', { value: { isAdmin: true }, enumerable: true })
    expectPrototypesUntouched(() => {
      expect(summarizeRefusal(() => create(body, strictTolerances))).toBe('400 invalidSyntax attribute_unknown')
      expect(JSON.stringify(create(body))).not.toContain('isAdmin')
      expect((create(body) as { isAdmin?: unknown }).isAdmin).toBeUndefined()
    })
  }
})

test.each([
  ['\u00e9', 'e\u0301', true],
  ['\uff41lice', 'alice', true],
  ['\u212a', 'k', true],
  ['\u00df', 'ss', false],
  ['\u0130', 'i', false],
])('%j and %j are the same userName: %j (RFC 8265 §3.3)', (one, other, same) => {
  expect(create(user({ userName: one }))['userName']).toBe(one)
  expect(foldCase(one) === foldCase(other)).toBe(same)
})
